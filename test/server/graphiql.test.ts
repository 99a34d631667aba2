import { runInNewContext } from 'node:vm'
import { parse, validate } from 'graphql'
import { describe, expect, test } from 'vitest'
import { schema } from '../../src/schema.ts'
import { examples } from '../../src/server/graphiql-examples.ts'
import { startScript } from '../../src/server/graphiql-page.ts'
import { startToyServer } from '../support/raw-server.ts'

const html = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }

describe('the page', () => {
  test('is what a browser gets at /graphql, and / leads to it', async () => {
    const { url, origin } = await startToyServer()
    const response = await fetch(origin, { headers: html })
    expect(response.url).toBe(url)
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(await response.text()).toContain('<div id="root">')
  })

  test('loads nothing from anywhere else, and its policy allows nothing else', async () => {
    const { url, origin } = await startToyServer()
    const response = await fetch(url, { headers: html })
    const policy = response.headers.get('content-security-policy')
    expect(policy).toContain("default-src 'none'; script-src 'self'")
    expect(policy).not.toMatch(/https?:|unsafe-eval|\*/)
    const page = await response.text()
    expect(page).not.toMatch(/https?:|<script>/)
    const parts = [...page.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, path]) => path)
    expect(parts).toHaveLength(5)
    for (const path of parts) expect((await fetch(origin + path)).status).toBe(200)
  })

  test('sends its parts compressed, and not again while they are the same', async () => {
    const { origin } = await startToyServer()
    const script = `${origin}/graphql/assets/graphiql.js`
    const first = await fetch(script)
    expect(first.headers.get('content-encoding')).toBe('gzip')
    expect(Number(first.headers.get('content-length'))).toBeLessThan(2_000_000)
    expect((await first.text()).length).toBeGreaterThan(5_000_000)
    const etag = first.headers.get('etag') ?? ''
    const again = await fetch(script, { headers: { 'if-none-match': etag } })
    expect(again.status).toBe(304)
    const plain = await fetch(script, { headers: { 'accept-encoding': 'identity' } })
    expect(plain.headers.get('content-encoding')).toBeNull()
  })

  test.each(['editorWorkerService', 'json', 'graphql'])('has the worker %s', async name => {
    const { origin } = await startToyServer()
    const response = await fetch(`${origin}/graphql/assets/${name}.js`)
    expect(response.headers.get('content-type')).toContain('text/javascript')
  })

  test('and all that belongs to it is gone with GRAPHIQL=off', async () => {
    const { url, origin } = await startToyServer({ env: { GRAPHIQL: 'off' } })
    expect((await fetch(url, { headers: html })).headers.get('content-type')).not.toContain('html')
    expect((await fetch(origin, { headers: html })).status).toBe(404)
    expect((await fetch(`${origin}/graphql/assets/start.js`)).status).toBe(404)
  })

  test('is not what a client gets that asks for JSON', async () => {
    const { url } = await startToyServer()
    const response = await fetch(`${url}?query={hello}`, {
      headers: { accept: 'application/json' },
    })
    expect(await response.json()).toEqual({ data: { hello: 'world' } })
  })
})

test.each(examples)('an example is valid: %s', example => {
  expect(validate(schema, parse(example))).toEqual([])
})

type Rendered = {
  headers: string
  defaultTabs: { query: string; headers: string }[]
  fetcher(params: object, options: object): unknown
}

/** Runs the page's script as a browser would that was led to `hash` with this in its storage. */
function start(hash: string, stored: Record<string, string> = {}) {
  const storage = new Map(Object.entries(stored))
  const location = { href: `http://x/graphql${hash}`, hash, pathname: '/graphql', search: '' }
  const sent: { url: string; options: { headers?: object; connectionParams?: object } }[] = []
  let address = location.href
  let rendered: Rendered | undefined
  runInNewContext(startScript, {
    location,
    addEventListener() {},
    URL,
    URLSearchParams,
    self: {},
    document: { querySelector: () => 'root' },
    history: { replaceState: (_state: null, _title: '', url: string) => (address = url) },
    localStorage: {
      getItem: (key: string) => storage.get(key) ?? null,
      setItem: (key: string, value: string) => storage.set(key, value),
    },
    fetch: async (url: URL, options: object) => {
      sent.push({ url: url.href, options })
      return { json: async () => ({ data: 'answer' }) }
    },
    graphqlWs: {
      createClient: ({ url, ...options }: { url: string }) => ({
        iterate: () => {
          sent.push({ url, options })
          return 'stream'
        },
      }),
    },
    YogaGraphiQL: {
      renderYogaGraphiQL: (_root: string, options: Rendered) => (rendered = options),
    },
  })
  return { rendered: rendered as unknown as Rendered, address, storage, sent }
}

describe('a link with a token', () => {
  const authorization = (headers: string | undefined) => JSON.parse(headers ?? '{}')

  test('puts the token into the headers of every tab and takes it out of the address', () => {
    const { rendered, address } = start('#token=secret')
    expect(address).toBe('/graphql')
    expect(authorization(rendered.headers)).toEqual({ Authorization: 'Bearer secret' })
    expect(rendered.defaultTabs.map(({ query }) => query)).toEqual(examples)
    for (const { headers } of rendered.defaultTabs) expect(headers).toBe(rendered.headers)
  })

  test('replaces the token of an earlier visit, and leaves other headers and tabs as they were', () => {
    const tab = (headers: object) => ({ query: '{ a }', headers: JSON.stringify(headers) })
    const tabs = [tab({ authorization: 'Bearer old', 'x-a': '1' }), tab({})]
    const { storage } = start('#token=new', {
      'graphiql:tabState': JSON.stringify({ activeTabIndex: 0, tabs }),
    })
    const kept = JSON.parse(storage.get('graphiql:tabState') ?? '').tabs
    expect(kept.map((one: { query: string }) => one.query)).toEqual(['{ a }', '{ a }'])
    expect(authorization(kept[0].headers)).toEqual({ Authorization: 'Bearer new', 'x-a': '1' })
    expect(authorization(kept[1].headers)).toEqual({ Authorization: 'Bearer new' })
    expect(storage.get('graphiql:headers')).toBe(kept[0].headers)
  })

  test('is not needed on the next visit', () => {
    const { rendered, address } = start('', { 'graphiql:headers': '{"Authorization":"Bearer x"}' })
    expect(address).toBe('http://x/graphql')
    expect(authorization(rendered.headers)).toEqual({ Authorization: 'Bearer x' })
  })
})

test('subscriptions go over a WebSocket with the headers of the editor, all else over HTTP', async () => {
  const { rendered, sent } = start('')
  const query = 'query Q { a } subscription S { b }'
  const documentAST = parse(query)
  const headers = { Authorization: 'Bearer x' }
  const ask = (operationName?: string) =>
    rendered.fetcher({ query, operationName }, { headers, documentAST })
  expect(await ask('Q')).toEqual({ data: 'answer' })
  expect(await ask('S')).toBe('stream')
  expect(sent).toMatchObject([
    { url: 'http://x/graphql', options: { method: 'POST', headers } },
    { url: 'ws://x/graphql', options: { connectionParams: headers } },
  ])
})
