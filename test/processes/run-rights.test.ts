import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { graphql } from '../generated/gql.ts'
import { type Api, startApi } from '../support/api.ts'
import type { Client } from '../support/client.ts'
import { globalId, SeededRuns } from '../support/seeded-runs.ts'

let api: Api
let seed: SeededRuns
let ann: Client
let bob: Client
let worker: Client
/** Of a run of Ann's with everything that can hang on one. */
let ids: Record<'run' | 'step' | 'artifact' | 'llmCall' | 'chat' | 'process', string>

beforeAll(async () => {
  api = await startApi()
  seed = new SeededRuns(api)
  ann = await api.signUp('ann')
  bob = await api.signUp('bob')
  worker = await api.signUp('robot', { kind: 'WORKER' })
  const process = await seed.process('secret', 'archived')
  const chat = await seed.chat('ann', 'talk')
  const run = await seed.run(process, { by: 'ann', status: 'succeeded', chat, input: 'mine' })
  ids = {
    run: globalId.run(run),
    process: globalId.process(process),
    chat: globalId.chat(chat),
    step: globalId.step(await seed.step(run, 'fetch')),
    artifact: globalId.artifact(await seed.artifact(run, 'text')),
    llmCall: globalId.llmCall(await seed.llmCall({ run })),
  }
  const open = await seed.process('open')
  await seed.run(open, { by: 'bob', status: 'succeeded' })
})
afterAll(() => api.close())

const EveryDoor = graphql(`
  query EveryDoorToARun($run: ID!, $step: ID!, $artifact: ID!, $llmCall: ID!, $chat: ID!, $process: ID!) {
    run(id: $run) { id }
    node(id: $run) { id }
    nodes(ids: [$run, $step, $artifact, $llmCall, $chat, $process]) { id }
    runs(filter: { processCodes: ["secret"] }) { totalCount edges { node { id } } }
    byRequester: runs(filter: { requestedBy: "ann" }) { totalCount edges { node { id } } }
    byChat: runs(filter: { chatId: $chat }) { totalCount edges { node { id } } }
    byStatus: runs(filter: { status: [SUCCEEDED] }) { edges { node { process { code } } } }
    llmCalls { totalCount edges { node { id } } }
    callsOfRun: llmCalls(filter: { runId: $run }) { totalCount edges { node { id } } }
    callsOfProcess: llmCalls(filter: { processCode: "secret" }) { totalCount edges { node { id } } }
    chats { totalCount edges { node { id } } }
    process(code: "secret") { runs { totalCount } performance { total llmCalls } }
    processById: process(id: $process) { id }
    processes(search: "secret") { totalCount edges { node { id } } }
  }
`)

const none = { totalCount: 0, edges: [] }
const hidden = {
  run: null,
  node: null,
  nodes: [null, null, null, null, null, null],
  runs: none,
  byRequester: none,
  byChat: none,
  byStatus: { edges: [{ node: { process: { code: 'open' } } }] },
  llmCalls: none,
  callsOfRun: none,
  callsOfProcess: none,
  chats: none,
  process: null,
  processById: null,
  processes: none,
}

const one = (id: string) => ({ totalCount: 1, edges: [{ node: { id } }] })
const shown = () => ({
  run: { id: ids.run },
  node: { id: ids.run },
  nodes: [ids.run, ids.step, ids.artifact, ids.llmCall, ids.chat, ids.process].map(id => ({ id })),
  runs: one(ids.run),
  byRequester: one(ids.run),
  byChat: one(ids.run),
  byStatus: { edges: [{ node: { process: { code: 'secret' } } }] },
  llmCalls: one(ids.llmCall),
  callsOfRun: one(ids.llmCall),
  callsOfProcess: one(ids.llmCall),
  chats: one(ids.chat),
  process: { runs: { totalCount: 1 }, performance: { total: 1, llmCalls: 1 } },
  processById: { id: ids.process },
  processes: one(ids.process),
})

describe('the run of somebody else', () => {
  it('is as if it did not exist, by any door', async () => {
    expect(await bob.run(EveryDoor, ids)).toEqual(hidden)
  })

  it('is hidden from the agent of somebody else', async () => {
    const agent = await api.signUp('cid', { kind: 'AGENT' })
    expect(await agent.run(EveryDoor, ids)).toMatchObject({
      run: null,
      llmCalls: none,
      chats: none,
    })
  })

  it('is not counted among one’s own', async () => {
    const Count = graphql(`query CountOfRuns { runs { totalCount } }`)
    expect((await api.admin.run(Count)).runs.totalCount).toBe(2)
    expect((await ann.run(Count)).runs.totalCount).toBe(1)
    expect((await bob.run(Count)).runs.totalCount).toBe(1)
  })
})

describe('one’s own run', () => {
  it('is found by every door, with a process that has been archived', async () => {
    expect(await ann.run(EveryDoor, ids)).toEqual(shown())
  })

  it('is found by an administrator too', async () => {
    expect(await api.admin.run(EveryDoor, ids)).toMatchObject({
      run: { id: ids.run },
      chats: one(ids.chat),
      llmCalls: one(ids.llmCall),
    })
  })

  const Relations = graphql(`
    query RelationsOfRun($run: ID!, $step: ID!) {
      run(id: $run) {
        requestedBy { login }
        chat { title }
        process { code status }
        rerunOf { id }
        steps { stepKey run { id } }
        artifacts { totalCount edges { node { content run { id } } } }
        llmCalls { edges { node { run { id } process { code } step { id } } } }
      }
      node(id: $step) { ... on ProcessRunStep { run { inputPayload } } }
    }
  `)

  it('has its requester, its chat and what hangs on it', async () => {
    const { run, node } = await ann.run(Relations, ids)
    expect(run).toEqual({
      requestedBy: { login: 'ann' },
      chat: { title: 'talk' },
      process: { code: 'secret', status: 'ARCHIVED' },
      rerunOf: null,
      steps: [{ stepKey: 'fetch', run: { id: ids.run } }],
      artifacts: { totalCount: 1, edges: [{ node: { content: 'text', run: { id: ids.run } } }] },
      llmCalls: {
        edges: [{ node: { run: { id: ids.run }, process: { code: 'secret' }, step: null } }],
      },
    })
    expect(node).toEqual({ run: { inputPayload: 'mine' } })
  })

  it('repeated by somebody else does not lead to theirs', async () => {
    const { rows } = await api.db.pool.query(
      `insert into process_runs (process_id, requested_by, rerun_of)
        select r.process_id, u.id, r.id from process_runs r, core.users u
        where r.requested_by = (select id from core.users where login = 'ann') and u.login = 'bob'
        returning id`,
    )
    const run = globalId.run(rows[0].id)
    expect(await bob.run(Relations, { run, step: ids.step })).toMatchObject({
      run: { rerunOf: null, process: { code: 'secret' } },
      node: null,
    })
    await api.db.pool.query('delete from process_runs where id = $1', [rows[0].id])
  })
})

describe('a worker', () => {
  it('sees every process, and no run that nobody can claim', async () => {
    expect(await worker.run(EveryDoor, ids)).toMatchObject({
      run: null,
      nodes: [null, null, null, null, null, { id: ids.process }],
      runs: none,
      byChat: none,
      llmCalls: none,
      chats: none,
      process: { runs: { totalCount: 0 }, performance: { total: 0, llmCalls: 0 } },
      processes: { totalCount: 1 },
    })
  })

  it('sees what it may claim, without who asked for it, and loses it to who claims it', async () => {
    const process = await seed.process('work')
    const chat = await seed.chat('bob', 'work')
    const id = await seed.run(process, { by: 'bob', chat })
    const Look = graphql(`
      query LookAtRun($id: ID!, $chat: ID!) {
        run(id: $id) { status requestedBy { login } chat { title } process { code } }
        runs { edges { node { id } } }
        byRequester: runs(filter: { requestedBy: "bob" }) { totalCount }
        byChat: runs(filter: { chatId: $chat }) { totalCount }
      }
    `)
    const variables = { id: globalId.run(id), chat: globalId.chat(chat) }
    expect(await worker.run(Look, variables)).toEqual({
      run: { status: 'QUEUED', requestedBy: null, chat: null, process: { code: 'work' } },
      runs: { edges: [{ node: { id: variables.id } }] },
      byRequester: { totalCount: 0 },
      byChat: { totalCount: 0 },
    })
    await api.db.pool.query(
      `update process_runs set status = 'running', claimed_by = (select id from core.users where login = 'ann'),
        lease_hash = repeat('0', 64), lease_expires_at = now() + '1 minute' where id = $1`,
      [id],
    )
    expect(await worker.run(Look, variables)).toMatchObject({ run: null, runs: { edges: [] } })
    await api.db.pool.query('delete from process_runs where id = $1', [id])
    await api.db.pool.query('delete from core.chats where id = $1', [chat])
  })

  it('of a paused process sees the process, and not the runs that wait', async () => {
    const process = await seed.process('paused', 'paused')
    const id = await seed.run(process, { by: 'bob' })
    const { node } = await worker.run(
      graphql(
        `query PausedProcess($id: ID!) { node(id: $id) { ... on Process { code runs { totalCount } } } }`,
      ),
      { id: globalId.process(process) },
    )
    expect(node).toEqual({ code: 'paused', runs: { totalCount: 0 } })
    await api.db.pool.query('delete from process_runs where id = $1', [id])
  })
})

describe('an LLM call that was recorded without a run', () => {
  it('is seen by who recorded it, and by administrators', async () => {
    const llmCall = globalId.llmCall(await seed.llmCall({ by: 'bob' }))
    const Call = graphql(`
      query RecordedCall($id: ID!) {
        node(id: $id) { ... on LlmCall { scope run { id } } }
        llmCalls(filter: { scope: "chat" }) { totalCount }
      }
    `)
    const seen = { node: { scope: 'chat', run: null }, llmCalls: { totalCount: 1 } }
    expect(await bob.run(Call, { id: llmCall })).toEqual(seen)
    expect(await api.admin.run(Call, { id: llmCall })).toEqual(seen)
    expect(await ann.run(Call, { id: llmCall })).toEqual({
      node: null,
      llmCalls: { totalCount: 0 },
    })
    await api.db.pool.query(`delete from llm_calls where scope = 'chat'`)
  })
})
