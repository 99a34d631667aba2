import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { graphql } from '../generated/gql.ts'
import { type Api, startApi } from '../support/api.ts'
import { hold } from '../support/held-transaction.ts'
import { metric } from '../support/metrics.ts'
import { eventually } from '../support/raw-eventually.ts'
import { RawSocket } from '../support/raw-socket.ts'
import { watch } from '../support/watch.ts'

let api: Api
beforeAll(async () => {
  api = await startApi({ MAX_OPERATIONS_PER_SOCKET: '250', MAX_OPERATIONS_PER_VIEWER: '1010' })
})
afterAll(() => api.close())

const Changes = graphql(`
  subscription FanOutChanges($after: Cursor) {
    graphChanges(after: $after) { cursor ... on ConceptCreated { name concept { id } } }
  }
`)
const Create = graphql(`
  mutation FanOutConcept($name: String!) { createConcept(input: { name: $name }) { id } }
`)
const Position = graphql(`query FanOutPosition { runs(first: 0) { changesCursor } }`)

const create = (name: string) => api.admin.run(Create, { name })
const position = async () => (await api.admin.run(Position)).runs.changesCursor
const insert = `with made as (insert into concepts (name) values ($1) returning id, name)
  insert into core.changes (topic, subject, payload)
  select 'graph', 'concept ' || id,
    jsonb_build_object('type', 'conceptCreated', 'conceptId', id::text, 'name', name) from made`
const nameOf = ({ graphChanges }: { graphChanges: object }) =>
  'name' in graphChanges ? graphChanges.name : undefined

describe('subscribers with the same operation', () => {
  it('cost one execution for each event, and not one for each of them', async () => {
    const after = await position()
    let received = 0
    for (let number = 0; number < 4; number++) {
      const headers = { authorization: `Bearer ${api.admin.token}` }
      const socket = await RawSocket.ready(api.url.replace('http', 'ws'), headers)
      socket.ws.on('message', data => {
        if (String(data).includes('"type":"next"')) received++
      })
      for (let id = 0; id < 250; id++) {
        // Where somebody begins is no difference between results.
        const variables = id % 2 === 0 ? { after } : {}
        socket.subscribe(String(id), Changes.toString(), { variables })
      }
    }
    await eventually(() => metric(api, 'engraph_streams_open')).toBe(1_000)
    const before = await metric(api, 'engraph_stream_executions_total')
    for (let number = 1; number <= 20; number++) await create(`shared ${number}`)
    await eventually(() => received).toBe(20_000)
    const executions = (await metric(api, 'engraph_stream_executions_total')) - before
    expect(executions).toBeGreaterThanOrEqual(20)
    expect(executions).toBeLessThanOrEqual(22)
  }, 60_000)

  it('get a cursor each of their own, where one has seen what another has not', async () => {
    const after = await position()
    const slow = await hold(api.db.pool, insert, ['slow'])
    await create('fast')
    // What came before it started, a server reads from the table: in the order in which it was written.
    const other = await api.sibling()
    const live = await watch(other, Changes, {})
    await slow.commit()
    expect(nameOf(await live.next())).toBe('slow')
    const late = await watch(other, Changes, { after })
    const first = await late.next()
    expect(nameOf(first)).toBe('slow')
    const resumed = await watch(other, Changes, { after: first.graphChanges.cursor })
    expect(nameOf(await resumed.next())).toBe('fast')
  })
})

describe('an event that cannot be executed, since the database is away,', () => {
  it.each(['ws', 'sse'] as const)(
    'ends the stream over %s before it and is there to resume',
    async over => {
      const feed = await watch(api.admin, Changes, {}, { over })
      await create(`${over} before`)
      const { graphChanges: seen } = await feed.next()
      const stop = failOn(/from concepts c/)
      await api.db.pool.query(insert, [`${over} failed`])
      expect((await feed.refusal()).extensions.code).toBe('SERVICE_BUSY')
      stop()
      await create(`${over} after`)
      const resumed = await watch(api.admin, Changes, { after: seen.cursor }, { over })
      expect((await resumed.take(2)).map(nameOf)).toEqual([`${over} failed`, `${over} after`])
    },
  )
})

/** As if the connection broke under these statements. */
function failOn(statement: RegExp): () => void {
  const { pool } = api.db
  const query = pool.query.bind(pool) as (...words: unknown[]) => Promise<unknown>
  const failing = async (...words: unknown[]) => {
    const [first] = words as [string | { text: string }]
    if (!statement.test(typeof first === 'string' ? first : first.text)) return query(...words)
    throw Object.assign(new Error('the connection broke'), { code: 'ECONNRESET' })
  }
  const spy = vi.spyOn(pool, 'query').mockImplementation(failing as never)
  return () => spy.mockRestore()
}
