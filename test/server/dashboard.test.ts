import { createHash } from 'node:crypto'
import { parse, validate } from 'graphql'
import { describe, expect, test } from 'vitest'
import { schema } from '../../src/schema.ts'
import { startToyServer } from '../support/raw-server.ts'

async function openPage(env: NodeJS.ProcessEnv = {}) {
  const { origin } = await startToyServer({ env })
  const response = await fetch(`${origin}/examples/dashboard`)
  return { response, text: await response.text() }
}

describe('the dashboard', () => {
  test('is one page that loads nothing, and its policy allows its own script and style alone', async () => {
    const { response, text } = await openPage()
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8')
    const parts = [...text.matchAll(/<(script|style)[^>]*>(.*?)<\/\1>/gs)]
    expect(parts.map(([, name]) => name)).toEqual(['style', 'script'])
    const policy = response.headers.get('content-security-policy') ?? ''
    for (const [, name, content = ''] of parts) {
      const hash = createHash('sha256').update(content).digest('base64')
      expect(policy).toContain(`${name}-src 'sha256-${hash}';`)
    }
    expect(policy).toContain("default-src 'none'; ")
    expect(policy).not.toMatch(/https?:|unsafe|\*/)
    expect(text).not.toMatch(/\b(src|href)="(?!data:,")|@import|import\(/)
  })

  test('is found with a slash at the end too', async () => {
    const { origin } = await startToyServer()
    expect((await fetch(`${origin}/examples/dashboard/`)).status).toBe(200)
  })

  test('is gone with GRAPHIQL=off', async () => {
    const { response } = await openPage({ GRAPHIQL: 'off' })
    expect(response.status).toBe(404)
  })

  test('asks only what the API has', async () => {
    const operations = operationsIn((await openPage()).text)
    expect(operations.length).toBeGreaterThan(5)
    for (const operation of operations) expect(validate(schema, parse(operation))).toEqual([])
  })
})

/** The page's script holds them as texts that hold one another. */
function operationsIn(page: string): string[] {
  const texts = new Map(
    [...page.matchAll(/const (\w+) = `\s*((?:query|mutation|subscription|fragment) [^`]*)`/g)].map(
      ([, name = '', text = '']) => [name, text],
    ),
  )
  const whole = (text: string): string =>
    text.replace(/\$\{(\w+)\}/g, (_, name) => whole(texts.get(name) ?? ''))
  return [...texts.values()].filter(text => !text.startsWith('fragment')).map(whole)
}
