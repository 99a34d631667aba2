import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { graphql } from '../generated/gql.ts'
import { type Api, startApi } from '../support/api.ts'
import type { Client } from '../support/client.ts'
import { globalId, SeededRuns } from '../support/seeded-runs.ts'
import { watch } from '../support/watch.ts'

let api: Api
let seed: SeededRuns
let ann: Client
let bob: Client
let process: string
/** A queued run of Ann's. */
let run: string

beforeAll(async () => {
  api = await startApi()
  seed = new SeededRuns(api)
  ann = await api.signUp('ann')
  bob = await api.signUp('bob')
})
afterAll(() => api.close())
beforeEach(async () => {
  await api.db.pool.query('delete from process_runs')
  await api.db.pool.query('delete from processes')
  process = await seed.process('search')
  run = await seed.run(process, { by: 'ann' })
  await happen(run, null, 'queued')
  await settle()
})

/** Resolves when the server has read all changes that there are, so that none is told as a new one. */
async function settle() {
  const code = 'settled'
  const marker = await seed.run(await seed.process(code), { by: 'ann' })
  const { next, cut } = await watch(api.admin, RunChanges, { filter: { processCodes: [code] } })
  await happen(marker, null, 'queued')
  await next()
  cut()
}

type Status = 'queued' | 'running' | 'failed'

/** A change of status, as its command would write it, and the row with it. */
async function happen(id: string, from: Status | null, to: Status) {
  await api.db.pool.query(
    `update process_runs set status = $2::run_status,
      finished_at = case when $2::text = 'failed' then now() end where id = $1`,
    [id, to],
  )
  await seed.happen(id, { type: 'status', from, to, errorText: null })
}

const result = (partialResult: string) =>
  seed.happen(run, { type: 'result', partialResult, late: false })

const RunEvents = graphql(`
  subscription WatchRun($id: ID!, $after: Int! = 0) {
    runEvents(runId: $id, after: $after) {
      __typename
      seq
      run { id status process { name } }
      ... on RunStatusChanged { to }
      ... on RunResultUpdated { partialResult }
    }
  }
`)

const RunChanges = graphql(`
  subscription WatchRuns($filter: RunFilter, $after: Cursor) {
    runChanges(filter: $filter, after: $after) {
      cursor
      event { __typename seq run { id } ... on RunStatusChanged { from to } }
    }
  }
`)

describe.each(['ws', 'sse'] as const)('runEvents over %s', over => {
  it('tells what has happened in the run, and then what happens', async () => {
    await result('half')
    const { next } = await watch(ann, RunEvents, { id: globalId.run(run) }, { over })
    const seen = { id: globalId.run(run), status: 'QUEUED', process: { name: 'search' } }
    expect((await next()).runEvents).toEqual({
      __typename: 'RunStatusChanged',
      seq: 1,
      run: seen,
      to: 'QUEUED',
    })
    expect((await next()).runEvents).toMatchObject({ seq: 2, partialResult: 'half' })
    await happen(run, 'queued', 'running')
    expect((await next()).runEvents).toMatchObject({
      seq: 3,
      to: 'RUNNING',
      run: { ...seen, status: 'RUNNING' },
    })
  })

  it('goes on behind a seq, without a gap and without a repeat', async () => {
    await result('one')
    await result('two')
    const variables = { id: globalId.run(run), after: 2 }
    const first = await watch(ann, RunEvents, variables, { over })
    expect((await first.next()).runEvents.seq).toBe(3)
    first.cut()
    await result('three')
    const second = await watch(ann, RunEvents, { ...variables, after: 3 }, { over })
    await result('four')
    const seqs = (await second.take(2)).map(({ runEvents }) => runEvents.seq)
    expect(seqs).toEqual([4, 5])
  })

  it('says that one has to read anew behind a seq that the run has not come to', async () => {
    const variables = { id: globalId.run(run), after: 99 }
    const { refusal } = await watch(ann, RunEvents, variables, { over })
    expect((await refusal()).extensions).toMatchObject({ code: 'LIMIT_EXCEEDED', resync: true })
  })

  it('shows the process as it is at each event', async () => {
    const { next } = await watch(ann, RunEvents, { id: globalId.run(run), after: 1 }, { over })
    await result('one')
    expect((await next()).runEvents.run.process.name).toBe('search')
    await api.db.pool.query(`update processes set name = 'renamed' where id = $1`, [process])
    await result('two')
    expect((await next()).runEvents.run.process.name).toBe('renamed')
  })

  it('is refused for the run of somebody else, and for one that is not there', async () => {
    for (const id of [globalId.run(run), globalId.run('x')]) {
      const { refusal } = await watch(bob, RunEvents, { id }, { over })
      expect((await refusal()).extensions).toMatchObject({ code: 'NOT_FOUND', field: 'runId' })
    }
    const { refusal } = await watch(ann, RunEvents, { id: globalId.run(run), after: -1 }, { over })
    expect((await refusal()).extensions).toMatchObject({ code: 'BAD_USER_INPUT', field: 'after' })
  })

  it('ends when the token is revoked', async () => {
    const guest = await api.signUp(`guest-${over}`)
    const own = await seed.run(process, { by: `guest-${over}` })
    const { next, refusal } = await watch(guest, RunEvents, { id: globalId.run(own) }, { over })
    await happen(own, null, 'queued')
    await next()
    await api.db.pool.query(
      `update core.api_tokens t set revoked_at = now() from core.users u
        where u.id = t.user_id and u.login = $1`,
      [`guest-${over}`],
    )
    await happen(own, 'queued', 'running')
    expect((await refusal()).extensions.code).toBe('UNAUTHENTICATED')
  })
})

describe.each(['ws', 'sse'] as const)('runChanges over %s', over => {
  it('tells everybody of their own runs, and administrators of all', async () => {
    const ofAnn = await watch(ann, RunChanges, {}, { over })
    const ofBob = await watch(bob, RunChanges, {}, { over })
    const ofAll = await watch(api.admin, RunChanges, {}, { over })
    const other = await seed.run(process, { by: 'bob' })
    await happen(run, 'queued', 'running')
    await happen(other, null, 'queued')
    await happen(run, 'running', 'failed')
    const seen = (changes: Awaited<ReturnType<typeof ofAll.take>>) =>
      changes.map(({ runChanges: { event } }) => [event.run.id, event.seq])
    const [own, others] = [globalId.run(run), globalId.run(other)]
    expect(seen(await ofAnn.take(2))).toEqual([
      [own, 2],
      [own, 3],
    ])
    expect(seen(await ofBob.take(1))).toEqual([[others, 1]])
    expect(seen(await ofAll.take(3))).toEqual([
      [own, 2],
      [others, 1],
      [own, 3],
    ])
  })

  it('loses nothing between a page and the subscription, and tells nothing twice', async () => {
    const { runs } = await ann.run(
      graphql(`query RunsBeforeWatch { runs { changesCursor edges { node { lastSeq } } } }`),
    )
    await happen(run, 'queued', 'running')
    const { take } = await watch(ann, RunChanges, { after: runs.changesCursor }, { over })
    await happen(run, 'running', 'failed')
    const seqs = (await take(2)).map(({ runChanges }) => runChanges.event.seq)
    expect([runs.edges[0]?.node.lastSeq, ...seqs]).toEqual([1, 2, 3])
  })

  it('goes on behind the cursor of any of its changes', async () => {
    const first = await watch(ann, RunChanges, {}, { over })
    await result('one')
    await seed.happen(
      run,
      { type: 'result', partialResult: 'two', late: false },
      { type: 'result', partialResult: 'three', late: false },
    )
    await result('four')
    const all = await first.take(4)
    first.cut()
    for (const [index, { runChanges }] of all.entries()) {
      const again = await watch(ann, RunChanges, { after: runChanges.cursor }, { over })
      const rest = await again.take(all.length - index - 1)
      expect(rest).toEqual(all.slice(index + 1))
      again.cut()
    }
  })
})

describe('a filter of runChanges', () => {
  it('by status has a run when it comes into the status, and when it leaves it', async () => {
    const { take } = await watch(ann, RunChanges, { filter: { status: ['RUNNING'] } })
    await result('before')
    await happen(run, 'queued', 'running')
    await result('within')
    await happen(run, 'running', 'failed')
    await result('after')
    const last = await seed.run(process, { by: 'ann' })
    await happen(last, 'queued', 'running')
    const seen = (await take(4)).map(({ runChanges: { event } }) => [event.run.id, event.seq])
    const id = globalId.run(run)
    expect(seen).toEqual([
      [id, 3],
      [id, 4],
      [id, 5],
      [globalId.run(last), 1],
    ])
  })

  it('has only the runs that a page with it would have', async () => {
    const other = await seed.process('other')
    const chat = await seed.chat('ann', 'talk')
    const runs = {
      old: await seed.run(process, { by: 'ann', at: '2020-01-01T00:00:00Z' }),
      other: await seed.run(other, { by: 'ann' }),
      ofBob: await seed.run(process, { by: 'bob' }),
      inChat: await seed.run(process, { by: 'ann', chat }),
    }
    const filters = {
      process: { processCodes: ['x', ' other '] },
      requester: { requestedBy: 'bob' },
      chat: { chatId: globalId.chat(chat) },
      time: { createdBefore: '2021-01-01T00:00:00Z' },
      nothing: { processCodes: [], status: [] },
    }
    const { runs: page } = await api.admin.run(
      graphql(`query CursorOfRuns { runs(first: 0) { changesCursor } }`),
    )
    for (const id of Object.values(runs)) await happen(id, null, 'queued')
    // What each brings up to the change that all have in common: of a run that meets every filter.
    const expected = { process: 'other', requester: 'ofBob', chat: 'inChat', time: 'old' } as const
    for (const [name, id] of Object.entries(expected)) {
      const filter = filters[name as keyof typeof expected]
      const { next, cut } = await watch(api.admin, RunChanges, {
        filter,
        after: page.changesCursor,
      })
      expect((await next()).runChanges.event.run.id).toBe(globalId.run(runs[id]))
      cut()
    }
    const nothing = await watch(api.admin, RunChanges, { filter: filters.nothing })
    const everything = await watch(api.admin, RunChanges, {})
    await happen(run, 'queued', 'running')
    await everything.next()
    expect(await Promise.race([nothing.next(), 'silent'])).toBe('silent')
  })

  it('of a process takes up one that is made later', async () => {
    const { next } = await watch(ann, RunChanges, { filter: { processCodes: ['later'] } })
    const id = await seed.run(await seed.process('later'), { by: 'ann' })
    await happen(id, null, 'queued')
    expect((await next()).runChanges.event.run.id).toBe(globalId.run(id))
  })
})

describe('a worker that watches', () => {
  it('hears of runs that it may claim, and not of those that another has', async () => {
    const worker = await api.signUp('robot', { kind: 'WORKER' })
    const { next } = await watch(worker, RunChanges, {})
    const [one, two] = [
      await seed.run(process, { by: 'bob' }),
      await seed.run(process, { by: 'bob' }),
    ]
    await api.db.pool.query(
      `update process_runs set status = 'running', claimed_by = requested_by,
        lease_hash = repeat('0', 64), lease_expires_at = now() + '1 minute' where id = $1`,
      [one],
    )
    await seed.happen(one, { type: 'status', from: 'queued', to: 'running', errorText: null })
    await happen(two, null, 'queued')
    expect((await next()).runChanges.event.run.id).toBe(globalId.run(two))
  })
})
