import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Api, startApi } from '../support/api.ts'
import { hold } from '../support/held-transaction.ts'
import {
  Answer,
  Artifact,
  Ask,
  Cancel,
  Claim,
  CreateChat,
  Finish,
  Heartbeat,
  keyOf,
  Partial,
  Rerun,
  RunCommands,
  Start,
  Step,
  UpdateProcess,
} from '../support/run-commands.ts'

let api: Api
let commands: RunCommands
beforeAll(async () => {
  api = await startApi()
  commands = await RunCommands.open(api)
})
afterAll(() => api.close())

const Id = (type: string) =>
  Buffer.from(`${type}:00000000-0000-4000-8000-000000000000`).toString('base64')

describe('the answer to a command', () => {
  it('has the seq of the last event, its own among them', async () => {
    const { user, worker } = commands
    const { code } = await commands.process()
    const started = await commands.start(code)
    const { id } = started
    const { run, lease } = await commands.claim(code)
    const { reportPartialResult } = await worker.run(Partial, { lease, result: 1 })
    const { askUser } = await worker.run(Ask, { lease })
    const questionId = askUser.question?.id ?? ''
    const { answerRun } = await user.run(Answer, { id, questionId, answer: 1 })
    const again = await commands.claim(code)
    const { finishRun } = await worker.run(Finish, { lease: again.lease, status: 'SUCCEEDED' })
    const seqs = [started, run, reportPartialResult, askUser, answerRun, again.run, finishRun]
    expect(seqs.map(({ lastSeq }) => lastSeq)).toEqual([1, 2, 3, 5, 7, 7, 8])
    const { rerun } = await user.run(Rerun, { id })
    expect(rerun.lastSeq).toBe(1)
    expect((await user.run(Cancel, { id: rerun.id })).cancelRun.lastSeq).toBe(2)
  })
})

describe('a start', () => {
  it.each([
    ['input.processCode', {}],
    ['input.processCode', { processCode: 'x', processId: Id('Process') }],
    ['input.processId', { processId: Id('Chat') }],
    ['input.inputText', { inputText: 'a\u0000b' }],
    ['input.inputPayload', { inputPayload: { deep: ['\ud800'] } }],
    ['input.idempotencyKey', { idempotencyKey: '' }],
    ['input.idempotencyKey', { idempotencyKey: 'k'.repeat(201) }],
    ['input.chatId', { chatId: 'no id' }],
  ])('is refused for what is wrong at %s', async (field, wrong) => {
    const { code } = await commands.process()
    const needsCode = field.startsWith('input.process') ? {} : { processCode: code }
    const input = { ...needsCode, ...wrong }
    expect(await commands.user.refused(Start, { input })).toMatchObject({
      code: 'BAD_USER_INPUT',
      field,
    })
  })

  it('of a process that is not there is refused, be it named by code or by id', async () => {
    for (const input of [{ processCode: 'none' }, { processId: Id('Process') }]) {
      const [name] = Object.keys(input)
      expect(await commands.user.refused(Start, { input })).toMatchObject({
        code: 'NOT_FOUND',
        field: `input.${name}`,
      })
    }
  })

  it('names what it came from', async () => {
    const { code: processCode } = await commands.process()
    const { createChat } = await commands.user.run(CreateChat, { title: ' A  talk ' })
    expect(createChat).toMatchObject({ title: 'A talk', owner: { login: 'user' } })
    const input = { processCode, chatId: createChat.id, sourceMessageHash: 'ab'.repeat(32) }
    expect((await commands.user.run(Start, { input })).startRun.chat?.id).toBe(createChat.id)
  })

  it('with the key of another user is a run of its own', async () => {
    const { code: processCode } = await commands.process()
    const input = { processCode, idempotencyKey: 'shared' }
    const mine = await commands.user.run(Start, { input })
    const theirs = await api.admin.run(Start, { input })
    expect(theirs.startRun.id).not.toBe(mine.startRun.id)
  })

  it('with the same key answers the run that there is, though its process has been archived', async () => {
    const { id, code: processCode } = await commands.process()
    const input = { processCode, idempotencyKey: 'kept', inputPayload: { a: 1, b: [1.0] } }
    const first = await commands.user.run(Start, { input })
    await api.admin.run(UpdateProcess, { id, input: { status: 'ARCHIVED' } })
    const same = { ...input, inputPayload: { b: [1], a: 1 } }
    expect((await commands.user.run(Start, { input: same })).startRun.id).toBe(first.startRun.id)
    expect(await commands.user.verdict(Start, { input: { processCode } })).toBe('CONFLICT')
    expect(await commands.user.refused(Rerun, { id: first.startRun.id })).toMatchObject({
      code: 'CONFLICT',
      field: 'id',
    })
  })
})

describe('a claim', () => {
  it('passes over a run that somebody else has in hand this moment', async () => {
    const { code } = await commands.process()
    const ids = [await commands.start(code), await commands.start(code)].map(({ id }) => id)
    const other = await hold(api.db.pool, 'select from process_runs where id = $1 for update', [
      keyOf(ids[0] ?? ''),
    ])
    expect((await commands.claim(code)).run.id).toBe(ids[1])
    await other.rollback()
    expect((await commands.claim(code)).run.id).toBe(ids[0])
  })

  it('of one run by two workers is given to one', async () => {
    const { code } = await commands.process()
    await commands.start(code)
    const sent = [commands.worker, api.admin].map(client => client.run(Claim, { codes: [code] }))
    const given = (await Promise.all(sent)).flatMap(({ claimRuns }) => claimRuns)
    expect(given).toHaveLength(1)
  })

  it('gives out no run of a process that has been paused', async () => {
    const { id, code } = await commands.process()
    await commands.start(code)
    await api.admin.run(UpdateProcess, { id, input: { status: 'PAUSED' } })
    expect((await commands.worker.run(Claim, { codes: [code] })).claimRuns).toEqual([])
    await api.admin.run(UpdateProcess, { id, input: { status: 'ACTIVE' } })
    expect((await commands.claim(code)).run.status).toBe('RUNNING')
  })

  it('gives leases that are not stored', async () => {
    const { id, lease } = await commands.held()
    const { rows } = await api.db.pool.query('select * from process_runs where id = $1', [
      keyOf(id),
    ])
    expect(JSON.stringify(rows)).not.toContain(lease)
  })

  it.each([
    ['max', { max: 0 }],
    ['max', { max: 101 }],
    ['leaseSeconds', { leaseSeconds: 4 }],
    ['leaseSeconds', { leaseSeconds: 3_601 }],
    ['worker', { worker: ' ' }],
    ['worker', { worker: 'w'.repeat(201) }],
  ])('is refused for what is wrong at %s', async (field, wrong) => {
    expect(await commands.worker.refused(Claim, wrong)).toMatchObject({
      code: 'BAD_USER_INPUT',
      field,
    })
  })
})

describe('a lease', () => {
  it('is longer by each heartbeat', async () => {
    const { code } = await commands.process()
    await commands.start(code)
    const { lease, expiresAt } = await commands.claim(code, 5)
    const { heartbeatRun } = await commands.worker.run(Heartbeat, { lease })
    expect(Date.parse(heartbeatRun)).toBeGreaterThan(Date.parse(expiresAt))
  })

  it('that has expired is lost at once, before anybody has ended the run', async () => {
    const { id, lease } = await commands.held()
    await commands.expire(id)
    const { worker } = commands
    const artifact = { artifactType: 'x', content: '' }
    const step = { stepKey: 'x', status: 'RUNNING' } as const
    const verdicts = [
      await worker.verdict(Heartbeat, { lease }),
      await worker.verdict(Step, { lease, input: step }),
      await worker.verdict(Artifact, { lease, input: artifact }),
      await worker.verdict(Partial, { lease, result: 1 }),
      await worker.verdict(Ask, { lease }),
      await worker.verdict(Finish, { lease, status: 'SUCCEEDED' }),
    ]
    expect(new Set(verdicts)).toEqual(new Set(['LEASE_LOST']))
    expect(await commands.read(id)).toMatchObject({ status: 'RUNNING', lastSeq: 2, steps: [] })
  })
})

describe('a question', () => {
  it('is answered by its id alone', async () => {
    const { id, lease } = await commands.held()
    const questionId = await commands.ask(lease)
    const other = { id, questionId: Id('RunQuestion'), answer: 1 }
    expect(await commands.user.refused(Answer, other)).toMatchObject({
      code: 'CONFLICT',
      field: 'questionId',
    })
    expect(await commands.user.verdict(Answer, { id, questionId, answer: 1 })).toBeNull()
    expect(await commands.user.verdict(Answer, other)).toBe('ILLEGAL_TRANSITION')
  })

  it('that was asked anew does not take the answer to the one before', async () => {
    const { code, id, lease } = await commands.held()
    const questionId = await commands.ask(lease)
    await commands.user.run(Answer, { id, questionId, answer: 1 })
    await commands.ask((await commands.claim(code)).lease)
    expect(await commands.user.verdict(Answer, { id, questionId, answer: 1 })).toBe('CONFLICT')
  })

  it('is over when its run is cancelled', async () => {
    const { id, lease } = await commands.held()
    const questionId = await commands.ask(lease)
    await commands.user.run(Cancel, { id, reason: 'no time' })
    expect(await commands.read(id)).toMatchObject({ status: 'CANCELLED', errorText: 'no time' })
    const verdict = await commands.user.verdict(Answer, { id, questionId, answer: 1 })
    expect(verdict).toBe('ILLEGAL_TRANSITION')
  })

  it.each([
    ['prompt', { prompt: ' ' }],
    ['prompt', { prompt: 'a'.repeat(10_001) }],
    ['prompt', { prompt: '\u0000' }],
    ['schema', { schema: { type: 'text' } }],
    ['schema', { schema: { const: '\ud800' } }],
  ])('is refused for what is wrong at %s', async (field, wrong) => {
    const { id, lease } = await commands.held()
    expect(await commands.worker.refused(Ask, { lease, ...wrong })).toMatchObject({
      code: 'BAD_USER_INPUT',
      field,
    })
    expect((await commands.read(id)).status).toBe('RUNNING')
  })

  it('takes no answer that cannot be stored', async () => {
    const { id, lease } = await commands.held()
    const questionId = await commands.ask(lease)
    const answer = { text: 'a\u0000' }
    expect(await commands.user.refused(Answer, { id, questionId, answer })).toMatchObject({
      code: 'BAD_USER_INPUT',
      field: 'answer',
    })
  })
})

describe('the end of a run', () => {
  it('that is sent twice is refused the second time, and no event', async () => {
    const { id, lease } = await commands.held()
    const end = { lease, status: 'SUCCEEDED', result: { n: 1 } } as const
    await commands.worker.run(Finish, end)
    const { lastSeq } = await commands.read(id)
    expect(await commands.worker.verdict(Finish, end)).toBe('ILLEGAL_TRANSITION')
    expect((await commands.read(id)).lastSeq).toBe(lastSeq)
  })

  it('keeps a partial result that comes late as an event alone', async () => {
    const { id, lease } = await commands.held()
    await commands.user.run(Cancel, { id })
    const verdict = await commands.worker.verdict(Partial, { lease, result: [1] })
    expect(verdict).toBe('ILLEGAL_TRANSITION')
    const run = await commands.read(id)
    expect(run).toMatchObject({ status: 'CANCELLED', resultPayload: null })
    expect(run.events.at(-1)).toMatchObject({ partialResult: [1], late: true })
  })

  it('degraded has the partial result where there is no other, and a failure has none', async () => {
    for (const [status, resultPayload] of [
      ['DEGRADED', { half: true }],
      ['FAILED', null],
    ] as const) {
      const { lease } = await commands.held()
      await commands.worker.run(Partial, { lease, result: { half: true } })
      const { finishRun } = await commands.worker.run(Finish, { lease, status, errorText: 'slow' })
      expect(finishRun).toMatchObject({ status, resultPayload, errorText: 'slow' })
    }
  })

  it('is no success without the result that the process is to have', async () => {
    const { lease } = await commands.held({ outputSchema: { type: 'object' } })
    const { finishRun } = await commands.worker.run(Finish, { lease, status: 'SUCCEEDED' })
    expect(finishRun.status).toBe('DEGRADED')
    expect(finishRun.errorText).toContain('must be object')
  })

  it.each(['QUEUED', 'RUNNING', 'WAITING_USER', 'CANCELLED'] as const)(
    'is not what a worker calls %s',
    async status => {
      const { id, lease } = await commands.held()
      expect(await commands.worker.refused(Finish, { lease, status })).toMatchObject({
        code: 'BAD_USER_INPUT',
        field: 'status',
      })
      expect((await commands.read(id)).status).toBe('RUNNING')
    },
  )

  it('ends its steps before it', async () => {
    const { id, lease } = await commands.held()
    await commands.step(lease, { stepKey: 'runs', status: 'RUNNING' })
    await commands.step(lease, { stepKey: 'waits', status: 'QUEUED' })
    await commands.user.run(Cancel, { id })
    const run = await commands.read(id)
    expect(run.steps).toMatchObject([
      { stepKey: 'runs', status: 'FAILED' },
      { stepKey: 'waits', status: 'SKIPPED' },
    ])
    expect(run.events.slice(-3).map(event => event.__typename)).toEqual([
      'RunStepChanged',
      'RunStepChanged',
      'RunStatusChanged',
    ])
  })
})

describe('steps', () => {
  it('begin anew with the next claim of the run', async () => {
    const { code, id, lease } = await commands.held()
    await commands.step(lease, { stepKey: 'think', status: 'RUNNING' })
    await commands.step(lease, { stepKey: 'think', status: 'SUCCEEDED' })
    const questionId = await commands.ask(lease)
    await commands.user.run(Answer, { id, questionId, answer: 1 })
    const again = await commands.claim(code)
    await commands.step(again.lease, { stepKey: 'think', status: 'RUNNING' })
    const { steps } = await commands.read(id)
    expect(steps.map(({ status }) => status)).toEqual(['SUCCEEDED', 'RUNNING'])
  })

  it('are a thousand of one run at most', async () => {
    const { id, lease } = await commands.held()
    await api.db.pool.query(
      `insert into process_run_steps (run_id, attempt, step_key, status, position)
        select $1, 1, 'step ' || n, 'skipped', n from generate_series(1, 999) n`,
      [keyOf(id)],
    )
    await commands.step(lease, { stepKey: 'last', status: 'RUNNING' })
    const more = { lease, input: { stepKey: 'more', status: 'RUNNING' } } as const
    expect(await commands.worker.refused(Step, more)).toMatchObject({
      code: 'LIMIT_EXCEEDED',
      field: 'input.stepKey',
    })
    await commands.step(lease, { stepKey: 'last', status: 'SUCCEEDED' })
  })

  it('are called by a name that can be seen', async () => {
    const { lease } = await commands.held()
    for (const stepKey of ['', 'a\u200b', 'k'.repeat(201)]) {
      const input = { stepKey, status: 'RUNNING' } as const
      expect(await commands.worker.refused(Step, { lease, input })).toMatchObject({
        code: 'BAD_USER_INPUT',
        field: 'input.stepKey',
      })
    }
  })
})

describe('what a machine reports', () => {
  it('is stored and shown at 1 MB of a step and 2 MB of an artifact', async () => {
    const { lease } = await commands.held()
    const outputPayload = { text: 'ш'.repeat(500_000) }
    await commands.step(lease, { stepKey: 'large', status: 'RUNNING' })
    const step = await commands.step(lease, {
      stepKey: 'large',
      status: 'SUCCEEDED',
      outputPayload,
    })
    expect(step.outputPayload).toEqual(outputPayload)
    const words = Array.from({ length: 150_000 }, (_, index) => `слово${index}`).join(' ')
    const artifact = await commands.artifact(lease, { artifactType: 'text', content: words })
    expect(Buffer.byteLength(words)).toBeGreaterThan(2_000_000)
    expect(artifact.content).toBe(words)
  })

  it('is recorded with U+FFFD for what cannot be stored, and says so', async () => {
    const { id, lease } = await commands.held()
    const step = { stepKey: 'bad', errorText: '\u0000', outputPayload: ['\ud800'] }
    await commands.step(lease, { stepKey: 'bad', status: 'RUNNING' })
    expect(await commands.step(lease, { ...step, status: 'FAILED' })).toMatchObject({
      errorText: '\ufffd',
      outputPayload: ['\ufffd'],
      replacedText: true,
    })
    const artifact = { artifactType: 'text', content: 'a\u0000', metadata: { '\u0000': 1 } }
    expect(await commands.artifact(lease, artifact)).toMatchObject({
      content: 'a\ufffd',
      metadata: { '\ufffd': 1 },
      replacedText: true,
    })
    await commands.user.run(Cancel, { id, reason: 'b\udc00' })
    expect((await commands.read(id)).errorText).toBe('b\ufffd')
  })

  it('is cut where an error text is as long as a document', async () => {
    const { lease } = await commands.held()
    const errorText = `${'a'.repeat(99_999)}😀${'b'.repeat(10)}`
    const { finishRun } = await commands.worker.run(Finish, { lease, status: 'FAILED', errorText })
    expect(finishRun.errorText).toBe(`${'a'.repeat(99_999)}…`)
  })
})
