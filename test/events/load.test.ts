import { ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import WebSocket from 'ws'
import { AccessWatch } from '../../src/events/access-watch.ts'
import { Waiters } from '../../src/events/waiters.ts'
import { graphql } from '../generated/gql.ts'
import { type Api, startApi } from '../support/api.ts'
import { metric } from '../support/metrics.ts'
import { eventually } from '../support/raw-eventually.ts'
import { RawSocket } from '../support/raw-socket.ts'
import { globalId, SeededRuns } from '../support/seeded-runs.ts'
import { watch } from '../support/watch.ts'

let api: Api
beforeAll(async () => {
  api = await startApi({ MAX_SOCKETS_PER_VIEWER: '30', MAX_OPERATIONS_PER_VIEWER: '30' })
})
afterAll(() => api.close())

const Graph = graphql(`
  subscription LoadGraph { graphChanges { ... on ConceptCreated { name } } }
`)
const Results = graphql(`
  subscription LoadResults($run: ID!) {
    runEvents(runId: $run) { seq ... on RunResultUpdated { partialResult } }
  }
`)
const Create = graphql(`
  mutation LoadConcept($name: String!) { createConcept(input: { name: $name }) { id } }
`)

describe.each(['ws', 'sse'] as const)('over %s', over => {
  it('500 who connect, subscribe and are cut leave nothing behind', async () => {
    const waiting = countOpen(Waiters.prototype, 'add')
    const watching = countOpen(AccessWatch.prototype, 'watch')
    for (let round = 0; round < 20; round++) {
      const feeds = await Promise.all(
        Array.from({ length: 25 }, () => watch(api.admin, Graph, {}, { over })),
      )
      // So their slots were given back each time.
      await eventually(() => metric(api, 'engraph_streams_open')).toBe(25)
      for (const feed of feeds) feed.cut()
      await eventually(() => metric(api, 'engraph_streams_open')).toBe(0)
    }
    await eventually(() => metric(api, 'engraph_sockets_open')).toBe(0)
    expect(waiting()).toBe(0)
    expect(watching()).toBe(0)
  }, 60_000)

  it('one who stops reading for 20,000 events costs no memory, holds up nobody, and gets them all', async () => {
    const unsent = mostUnsent()
    const seeded = new SeededRuns(api)
    const run = await seeded.run(await seeded.process(`slow over ${over}`), { by: 'admin' })
    const reader = over === 'ws' ? await overSocket(run) : await overEvents(run)
    const other = await watch(api.admin, Graph, {}, { over })
    reader.pause()
    const sent = await metric(api, 'engraph_stream_events_total')
    await api.db.pool.query(
      `with changed as (update process_runs set last_seq = 20000 where id = $1 returning *)
        insert into core.changes (topic, subject, seq, payload)
        select 'run', id::text, n, jsonb_build_object('type', 'result', 'late', false,
          'partialResult', repeat(md5(n::text), 64), 'processId', process_id,
          'requestedById', requested_by, 'chatId', null, 'status', status)
        from changed, generate_series(1, 20000) n order by n`,
      [run],
    )
    for (const name of ['one', 'two', 'three'].map(word => `${over} ${word}`)) {
      await api.admin.run(Create, { name })
      expect(await other.next()).toEqual({ graphChanges: { name } })
    }
    const left = await settled(() => metric(api, 'engraph_stream_events_total'))
    // What the system's own buffers take is on its way already.
    expect(left - sent).toBeLessThan(15_000)
    expect(unsent()).toBeLessThan(1 << 20)

    reader.resume()
    const seqs = await reader.take(20_000)
    expect(seqs).toEqual(Array.from({ length: 20_000 }, (_, index) => index + 1))
    expect(unsent()).toBeLessThan(1 << 20)
  }, 60_000)
})

/** Of a method that begins something and answers how to end it: how many have begun and not ended. */
function countOpen<
  Name extends string,
  Type extends Record<Name, (...words: never[]) => () => void>,
>(type: Type, name: Name): () => number {
  let open = 0
  const original = type[name] as unknown as (
    this: unknown,
    key: unknown,
    call: (place: unknown) => void,
  ) => () => void
  function counting(this: unknown, key: unknown, call: (place: unknown) => void) {
    let isOpen = true
    open++
    const end = () => {
      if (isOpen) open--
      isOpen = false
    }
    const stop = original.call(this, key, place => {
      if (name === 'add') end()
      call(place)
    })
    return () => {
      end()
      stop()
    }
  }
  const spy = vi.spyOn(type, name as never).mockImplementation(counting as never)
  onTestFinished(() => spy.mockRestore())
  return () => open
}

/** The most bytes that a connection of the server held because nobody took them. */
function mostUnsent(): () => number {
  let most = 0
  const { send } = WebSocket.prototype
  const { write } = ServerResponse.prototype
  const spies = [
    vi.spyOn(WebSocket.prototype, 'send').mockImplementation(function (
      this: WebSocket,
      ...words: unknown[]
    ) {
      send.apply(this, words as never)
      most = Math.max(most, this.bufferedAmount)
    } as never),
    vi.spyOn(ServerResponse.prototype, 'write').mockImplementation(function (
      this: ServerResponse,
      ...words: unknown[]
    ) {
      const hasRoom = write.apply(this, words as never)
      most = Math.max(most, this.writableLength)
      return hasRoom
    } as never),
  ]
  onTestFinished(() => {
    for (const spy of spies) spy.mockRestore()
  })
  return () => most
}

/** One who can stop reading from the connection. */
interface Reader {
  pause(): void
  resume(): void
  take(count: number): Promise<number[]>
}

const request = (run: string) => ({
  query: Results.toString(),
  variables: { run: globalId.run(run) },
})

async function overSocket(run: string): Promise<Reader> {
  const socket = await RawSocket.ready(api.url.replace('http', 'ws'), {
    authorization: `Bearer ${api.admin.token}`,
  })
  socket.send({ type: 'subscribe', id: '1', payload: request(run) })
  socket.send({ type: 'ping' })
  await socket.next()
  return {
    pause: () => socket.ws.pause(),
    resume: () => socket.ws.resume(),
    async take(count) {
      const seqs: number[] = []
      while (seqs.length < count) {
        const { payload } = await socket.next()
        seqs.push((payload as { data: { runEvents: { seq: number } } }).data.runEvents.seq)
      }
      return seqs
    },
  }
}

async function overEvents(run: string): Promise<Reader> {
  const feed = await watch(api.admin, Results, { run: globalId.run(run) }, { over: 'sse' })
  return {
    // What is not asked for is not read.
    pause() {},
    resume() {},
    take: async count => (await feed.take(count)).map(({ runEvents }) => runEvents.seq),
  }
}

/** The value when it does not change any more. */
async function settled(read: () => Promise<number>): Promise<number> {
  for (let last = await read(); ; ) {
    await sleep(500)
    const value = await read()
    if (value === last) return value
    last = value
  }
}
