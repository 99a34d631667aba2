import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { graphql } from '../generated/gql.ts'
import { type Api, startApi } from '../support/api.ts'
import { globalId, SeededRuns } from '../support/seeded-runs.ts'

let api: Api
let seed: SeededRuns
let run: string

beforeAll(async () => {
  api = await startApi()
  seed = new SeededRuns(api)
  await api.signUp('ann')
  run = await seed.run(await seed.process('search'), { by: 'ann', status: 'running' })
  const step = await seed.step(run, 'fetch')
  const questionId = await seed.question(run, 'Which?', 'the second')
  const artifactId = await seed.artifact(run, 'text')
  const llmCallId = await seed.llmCall({ run })
  const of = { stepId: step, stepKey: 'fetch', errorText: null }
  await seed.happen(
    run,
    { type: 'status', from: null, to: 'queued', errorText: null },
    { type: 'status', from: 'queued', to: 'running', errorText: null },
    { type: 'step', from: null, to: 'running', ...of },
    { type: 'step', from: 'running', to: 'succeeded', ...of },
    { type: 'asked', questionId },
    { type: 'answered', questionId },
    { type: 'artifact', artifactId },
    { type: 'llmCall', llmCallId },
    { type: 'result', partialResult: { half: true }, late: false },
  )
})
afterAll(() => api.close())

const Events = graphql(`
  query EventsOfRun($id: ID!, $after: Int! = 0, $first: Int) {
    run(id: $id) {
      lastSeq
      question { id prompt answer }
      events(after: $after, first: $first) {
        __typename
        seq
        at
        run { id status }
        ... on RunStatusChanged { from to errorText }
        ... on RunStepChanged { step { stepKey status } stepFrom: from stepTo: to }
        ... on RunQuestionAsked { question { prompt answer answeredAt } }
        ... on RunQuestionAnswered { question { prompt answer answeredAt } }
        ... on RunArtifactAdded { artifact { content } }
        ... on RunLlmCalled { llmCall { model } }
        ... on RunResultUpdated { partialResult late }
      }
    }
  }
`)

describe('the events of a run', () => {
  it('tell what was true then, with the run and its steps as they are now', async () => {
    const found = await api.admin.run(Events, { id: globalId.run(run) })
    expect(found.run?.lastSeq).toBe(9)
    const now = { run: { id: globalId.run(run), status: 'RUNNING' }, at: expect.any(String) }
    const step = { stepKey: 'fetch', status: 'SUCCEEDED' }
    expect(found.run?.events).toEqual(
      [
        { __typename: 'RunStatusChanged', from: null, to: 'QUEUED', errorText: null },
        { __typename: 'RunStatusChanged', from: 'QUEUED', to: 'RUNNING', errorText: null },
        { __typename: 'RunStepChanged', step, stepFrom: null, stepTo: 'RUNNING' },
        { __typename: 'RunStepChanged', step, stepFrom: 'RUNNING', stepTo: 'SUCCEEDED' },
        {
          __typename: 'RunQuestionAsked',
          question: { prompt: 'Which?', answer: null, answeredAt: null },
        },
        {
          __typename: 'RunQuestionAnswered',
          question: { prompt: 'Which?', answer: 'the second', answeredAt: expect.any(String) },
        },
        { __typename: 'RunArtifactAdded', artifact: { content: 'text' } },
        { __typename: 'RunLlmCalled', llmCall: { model: 'm' } },
        { __typename: 'RunResultUpdated', partialResult: { half: true }, late: false },
      ].map((event, index) => ({ ...now, seq: index + 1, ...event })),
    )
  })

  it('are read on behind a seq, so many at a time', async () => {
    const seqs: number[] = []
    for (let after = 0; ; ) {
      const found = await api.admin.run(Events, { id: globalId.run(run), after, first: 4 })
      const events = found.run?.events ?? []
      if (events.length === 0) break
      seqs.push(...events.map(({ seq }) => seq))
      after = events.at(-1)?.seq ?? 0
    }
    expect(seqs).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9])
  })

  const Seqs = graphql(`
    query SeqsOfRun($id: ID!, $after: Int! = 0, $first: Int) {
      run(id: $id) { lastSeq events(after: $after, first: $first) { seq } }
    }
  `)

  it.each([{ first: -1 }, { first: 1_001 }, { after: -1 }])('are refused with %j', async wrong => {
    expect(await api.admin.refused(Seqs, { id: globalId.run(run), ...wrong })).toMatchObject({
      code: 'BAD_USER_INPUT',
      field: Object.keys(wrong)[0],
    })
  })

  it('are fewer than asked for where they are large, and lead on to the others', async () => {
    const large = await seed.run(await seed.process('large'), { by: 'ann' })
    const text = randomBytes(3_000_000).toString('base64')
    for (let n = 0; n < 8; n++) {
      await seed.happen(large, { type: 'result', partialResult: text, late: false })
    }
    let after = 0
    const pages: number[] = []
    while (after < 8) {
      const { run } = await api.admin.run(Seqs, { id: globalId.run(large), after })
      pages.push(run?.events.length ?? 0)
      after = run?.events.at(-1)?.seq ?? 8
    }
    expect(pages.length).toBeGreaterThan(1)
    expect(pages.reduce((sum, count) => sum + count)).toBe(8)
  })
})

describe('the question of a run', () => {
  it('is the last one that was answered, and the open one as soon as there is one', async () => {
    const asked = await api.admin.run(Events, { id: globalId.run(run) })
    expect(asked.run?.question).toMatchObject({ prompt: 'Which?', answer: 'the second' })
    const open = await seed.question(run, 'Sure?')
    const again = await api.admin.run(Events, { id: globalId.run(run) })
    expect(again.run?.question).toEqual({
      id: globalId.question(open),
      prompt: 'Sure?',
      answer: null,
    })
    await api.db.pool.query('delete from process_run_questions where id = $1', [open])
  })
})
