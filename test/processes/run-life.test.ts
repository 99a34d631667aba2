import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sweepRuns } from '../../src/processes/sweep.ts'
import { type Api, startApi } from '../support/api.ts'
import type { Client } from '../support/client.ts'
import {
  Answer,
  Ask,
  Cancel,
  Claim,
  CreateProcess,
  Finish,
  Heartbeat,
  Partial,
  Rerun,
  RunCommands,
  Start,
  Step,
} from '../support/run-commands.ts'

let api: Api
let commands: RunCommands
let worker: Client
let user: Client
beforeAll(async () => {
  api = await startApi()
  commands = await RunCommands.open(api)
  worker = commands.worker
  user = commands.user
})
afterAll(() => api.close())

const statuses = (events: readonly object[]) =>
  events.flatMap(event => ('to' in event ? [event.to] : []))
describe('a run', () => {
  it('goes from the queue through its worker’s hands to its end', async () => {
    const { id, lease } = await commands.held()
    await worker.run(Step, { lease, input: { stepKey: 'think', status: 'RUNNING' } })
    await worker.run(Step, {
      lease,
      input: { stepKey: 'think', status: 'SUCCEEDED', outputPayload: { words: 3 } },
    })
    await worker.run(Finish, { lease, status: 'SUCCEEDED', result: { answer: 42 } })
    const run = await commands.read(id)
    expect(run).toMatchObject({ status: 'SUCCEEDED', resultPayload: { answer: 42 } })
    expect(run.steps).toMatchObject([{ stepKey: 'think', status: 'SUCCEEDED', attempt: 1 }])
    expect(statuses(run.events)).toEqual(['QUEUED', 'RUNNING', 'SUCCEEDED'])
    expect(run.events.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5])
    expect(run.lastSeq).toBe(5)
  })

  it('that was cancelled stays so when its worker succeeds later, whose result is kept as an event', async () => {
    const { id, lease } = await commands.held()
    await user.run(Cancel, { id, reason: 'enough' })
    const late = await worker.refused(Finish, { lease, status: 'SUCCEEDED', result: { late: 1 } })
    expect(late.code).toBe('ILLEGAL_TRANSITION')
    const run = await commands.read(id)
    expect(run).toMatchObject({ status: 'CANCELLED', errorText: 'enough', resultPayload: null })
    expect(run.events.at(-1)).toMatchObject({ partialResult: { late: 1 }, late: true })
  })

  it('takes one of five answers', async () => {
    const { id, lease } = await commands.held()
    const { question } = (await worker.run(Ask, { lease, schema: { type: 'integer' } })).askUser
    const questionId = question?.id ?? ''
    expect(await user.refused(Answer, { id, questionId, answer: 'no number' })).toMatchObject({
      code: 'BAD_USER_INPUT',
      field: 'answer',
    })
    const verdicts = await Promise.all(
      [1, 2, 3, 4, 5].map(answer => user.verdict(Answer, { id, questionId, answer })),
    )
    expect(verdicts.filter(code => code === null)).toHaveLength(1)
    expect(verdicts.filter(code => code === 'ILLEGAL_TRANSITION')).toHaveLength(4)
    const { events } = await commands.read(id)
    expect(statuses(events)).toEqual(['QUEUED', 'RUNNING', 'WAITING_USER', 'RUNNING'])
  })

  it('that was answered is claimed again, and its old lease is lost', async () => {
    const { code, id, lease } = await commands.held()
    const { question } = (await worker.run(Ask, { lease })).askUser
    expect(await worker.verdict(Heartbeat, { lease })).toBe('LEASE_LOST')
    expect(await worker.run(Claim, { codes: [code], max: 1 })).toEqual({ claimRuns: [] })
    await user.run(Answer, { id, questionId: question?.id ?? '', answer: { any: 'thing' } })
    const again = await commands.claim(code)
    expect(again.run).toMatchObject({ id, status: 'RUNNING', attempt: 2 })
    expect(await worker.verdict(Finish, { lease, status: 'FAILED' })).toBe('LEASE_LOST')
    await worker.run(Finish, { lease: again.lease, status: 'SUCCEEDED' })
    expect((await commands.read(id)).status).toBe('SUCCEEDED')
  })

  it('whose worker is gone fails after the lease, or is degraded with its partial result', async () => {
    const gone = await commands.held()
    const partly = await commands.held()
    await worker.run(Partial, { lease: partly.lease, result: [1, 2] })
    await worker.run(Step, {
      lease: partly.lease,
      input: { stepKey: 'half', status: 'RUNNING' },
    })
    await commands.expire(gone.id)
    await commands.expire(partly.id)
    expect(await worker.verdict(Heartbeat, { lease: gone.lease })).toBe('LEASE_LOST')
    await Promise.all([sweepRuns(api.db), sweepRuns(api.db)])
    expect(await commands.read(gone.id)).toMatchObject({
      status: 'FAILED',
      errorText: "The worker's lease expired.",
    })
    const run = await commands.read(partly.id)
    expect(run).toMatchObject({ status: 'DEGRADED', resultPayload: [1, 2] })
    expect(run.steps).toMatchObject([{ stepKey: 'half', status: 'FAILED' }])
    expect(statuses(run.events)).toEqual(['QUEUED', 'RUNNING', 'DEGRADED'])
  })

  it.each([
    ['queueSeconds', 'FAILED', 'No worker has claimed the run in time.'],
    ['runSeconds', 'FAILED', 'The run was over its time limit.'],
    ['waitSeconds', 'FAILED', 'Nobody has answered in time.'],
  ])('ends when it is over %s', async (limit, status, errorText) => {
    const { code } = await commands.process({ metadata: { limits: { [limit]: 1 } } })
    const { id } = await commands.start(code)
    if (limit !== 'queueSeconds') {
      const { lease } = await commands.claim(code)
      if (limit === 'waitSeconds') await worker.run(Ask, { lease })
    }
    expect((await commands.read(id)).finishedAt).toBeNull()
    await api.db.pool.query('select pg_sleep(1.1)')
    await sweepRuns(api.db)
    expect(await commands.read(id)).toMatchObject({ status, errorText })
  })

  it('whose result does not meet the output schema is degraded, with the reason', async () => {
    const outputSchema = { type: 'object', required: ['answer'] }
    const { id, lease } = await commands.held({ outputSchema })
    await worker.run(Finish, { lease, status: 'SUCCEEDED', result: { other: 1 } })
    const run = await commands.read(id)
    expect(run).toMatchObject({ status: 'DEGRADED', resultPayload: { other: 1 } })
    expect(run.errorText).toContain('answer')
  })

  it('is run again with the same input', async () => {
    const { code } = await commands.process()
    const { id } = await commands.start(code, { inputText: 'words', inputPayload: { n: 1.1 } })
    const { rerun } = await user.run(Rerun, { id })
    expect(rerun).toMatchObject({
      status: 'QUEUED',
      inputText: 'words',
      inputPayload: { n: 1.1 },
      rerunOf: { id },
    })
  })

  it('records an error text with characters that cannot be stored', async () => {
    const { id, lease } = await commands.held()
    await worker.run(Finish, {
      lease,
      status: 'FAILED',
      errorText: 'a\u0000b\ud800',
      result: { 'k\u0000': ['\u0000'] },
    })
    expect(await commands.read(id)).toMatchObject({
      status: 'FAILED',
      errorText: 'a\ufffdb\ufffd',
      resultPayload: { 'k\ufffd': ['\ufffd'] },
      replacedText: true,
    })
  })
})

describe('a worker', () => {
  it('gets the oldest runs, and each run is given to one worker only', async () => {
    const { code } = await commands.process()
    const ids: string[] = []
    for (let i = 0; i < 12; i++) ids.push((await commands.start(code)).id)
    const { claimRuns } = await worker.run(Claim, { codes: [code], max: 2 })
    expect(claimRuns.map(({ run }) => run.id)).toEqual(ids.slice(0, 2))
    const other = { ...worker, url: (await api.sibling()).url }
    const claims = await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        (index % 2 ? worker : other).run(Claim, { codes: [code], max: 2 }),
      ),
    )
    const given = claims.flatMap(claim => claim.claimRuns.map(({ run }) => run.id))
    expect(given.sort()).toEqual(ids.slice(2).sort())
  })

  it('cannot do without a lease that holds', async () => {
    const { code } = await commands.process()
    const { id } = await commands.start(code)
    const lease = 'lease_made_up'
    const verdicts = [
      await worker.verdict(Heartbeat, { lease }),
      await worker.verdict(Step, { lease, input: { stepKey: 'x', status: 'RUNNING' } }),
      await worker.verdict(Finish, { lease, status: 'SUCCEEDED' }),
      await worker.verdict(Ask, { lease }),
      await worker.verdict(Partial, { lease, result: 1 }),
    ]
    expect(new Set(verdicts)).toEqual(new Set(['LEASE_LOST']))
    expect(await commands.read(id)).toMatchObject({ status: 'QUEUED', lastSeq: 1 })
  })

  it('cannot report to a run that has ended', async () => {
    const { id, lease } = await commands.held()
    await worker.run(Finish, { lease, status: 'SUCCEEDED' })
    const step = { lease, input: { stepKey: 'x', status: 'RUNNING' } } as const
    expect(await worker.verdict(Step, step)).toBe('ILLEGAL_TRANSITION')
    expect(await worker.verdict(Finish, { lease, status: 'FAILED' })).toBe('ILLEGAL_TRANSITION')
    expect(await worker.verdict(Ask, { lease })).toBe('ILLEGAL_TRANSITION')
    expect(await worker.verdict(Heartbeat, { lease })).toBe('LEASE_LOST')
    expect(await user.verdict(Cancel, { id })).toBe('ILLEGAL_TRANSITION')
    expect((await commands.read(id)).status).toBe('SUCCEEDED')
  })

  it('never takes a step back that has finished, nor ends one that has not started', async () => {
    const { id, lease } = await commands.held()
    const report = (stepKey: string, status: 'QUEUED' | 'RUNNING' | 'SUCCEEDED' | 'FAILED') =>
      worker.verdict(Step, { lease, input: { stepKey, status } })
    expect(await report('early', 'SUCCEEDED')).toBe('ILLEGAL_TRANSITION')
    expect(await report('step', 'QUEUED')).toBeNull()
    expect(await report('step', 'SUCCEEDED')).toBe('ILLEGAL_TRANSITION')
    expect(await report('step', 'RUNNING')).toBeNull()
    expect(await report('step', 'SUCCEEDED')).toBeNull()
    const { lastSeq } = await commands.read(id)
    expect(await report('step', 'RUNNING')).toBeNull()
    expect(await report('step', 'SUCCEEDED')).toBeNull()
    expect(await report('step', 'FAILED')).toBe('ILLEGAL_TRANSITION')
    const run = await commands.read(id)
    expect(run.steps).toMatchObject([{ stepKey: 'step', status: 'SUCCEEDED' }])
    expect(run.lastSeq).toBe(lastSeq)
  })
})

describe('a start', () => {
  it('with the same key is one run, however often it is sent at once', async () => {
    const { code: processCode } = await commands.process()
    const input = { processCode, inputText: 'once', idempotencyKey: 'key' }
    const ids = await Promise.all(
      Array.from({ length: 20 }, async () => (await user.run(Start, { input })).startRun.id),
    )
    expect(new Set(ids).size).toBe(1)
    expect((await commands.read(ids[0] ?? '')).lastSeq).toBe(1)
    const other = { ...input, inputText: 'another' }
    expect(await user.refused(Start, { input: other })).toMatchObject({
      code: 'CONFLICT',
      field: 'input.idempotencyKey',
    })
  })

  it.each(['DRAFT', 'ARCHIVED'] as const)('of a process that is %s is refused', async status => {
    const { code: processCode } = await commands.process({ status })
    expect(await user.verdict(Start, { input: { processCode } })).toBe('NOT_FOUND')
    expect(await api.admin.verdict(Start, { input: { processCode } })).toBe('CONFLICT')
  })

  it('of a paused process waits until it is active again', async () => {
    const { code } = await commands.process({ status: 'PAUSED' })
    await commands.start(code)
    expect(await worker.run(Claim, { codes: [code], max: 1 })).toEqual({ claimRuns: [] })
  })
})

describe('rights', () => {
  it('to another’s run are none at all', async () => {
    const { id } = await commands.held()
    const other = await api.signUp(`other-${id}`)
    for (const verdict of [
      await other.verdict(Cancel, { id }),
      await other.verdict(Rerun, { id }),
    ]) {
      expect(verdict).toBe('NOT_FOUND')
    }
    expect(await other.verdict(Claim, { codes: null, max: 1 })).toBe('FORBIDDEN')
    expect(await worker.verdict(Cancel, { id })).toBe('FORBIDDEN')
    expect(await user.verdict(CreateProcess, { input: { code: 'mine', name: 'mine' } })).toBe(
      'FORBIDDEN',
    )
  })
})
