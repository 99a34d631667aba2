import { parse, validate } from 'graphql'
import { describe, expect, test } from 'vitest'
import type { Context } from '../../src/core/context.ts'
import { readEnv } from '../../src/core/env.ts'
import type { DomainError } from '../../src/core/errors.ts'
import { schema } from '../../src/schema.ts'
import { OperationCheck } from '../../src/server/operation-check.ts'

const check = new OperationCheck(schema, readEnv({}))

/** OK, or the code under which a server with the default limits refuses the operation. */
function verdict(query: string): string {
  const language = { parse, validate: () => validate(schema, parse(query)) }
  try {
    check.check({ query }, language, { viewer: null } as Context)
    return 'OK'
  } catch (error) {
    return (error as DomainError).code
  }
}

const runs = (first: number, fields: string) =>
  `runs(first: ${first}) { totalCount changesCursor edges { node { ${fields} } } }`

const row = 'id status errorText createdAt startedAt finishedAt durationMs process { id code name }'
const steps = 'steps { id stepKey status startedAt finishedAt errorText }'
const payloads = 'inputText inputPayload resultPayload partialResult'
const events = (first: number) => `events(first: ${first}) {
  seq at ... on RunStatusChanged { from to errorText } ... on RunStepChanged { step { stepKey } stepTo: to }
}`

describe('an operation is taken', () => {
  test.each([
    ['for a large page of runs with their steps', `{ ${runs(100, `${row} ${steps}`)} }`],
    ['for a large page of runs with their payloads', `{ ${runs(100, `${row} ${payloads}`)} }`],
    [
      'for one run with everything',
      `{ run(id: "x") { ${row} ${payloads} ${steps} ${events(1_000)}
        artifacts(first: 100) { edges { node { content } } }
        llmCalls(first: 100) { edges { node { requestJson responseJson } } } } }`,
    ],
    [
      'for a page of processes with their performance',
      '{ processes { edges { node { performance { total byStatus { status count } durationMs { p95 } } } } } }',
    ],
    [
      'for a subscription with what hangs on the run',
      `subscription { runChanges { cursor event { seq run { ${row} ${steps} ${payloads} } } } }`,
    ],
  ])('%s', (_what, query) => {
    expect(verdict(query)).toBe('OK')
  })
})

describe('an operation is refused', () => {
  test.each([
    ['for a page of runs with all their events', `{ ${runs(20, events(1_000))} }`],
    ['for events of events', `{ run(id: "x") { events { run { ${events(1_000)} } } } }`],
    [
      'for pages of calls below a large page of runs',
      `{ ${runs(100, 'llmCalls(first: 100) { edges { node { requestJson } } }')} }`,
    ],
    [
      'for the performance of a hundred processes',
      '{ processes(first: 100) { edges { node { performance { total } } } } }',
    ],
    [
      'for the steps of the runs of a large page of processes',
      `{ processes(first: 100) { edges { node { runs { edges { node { ${steps} } } } } } } }`,
    ],
  ])('%s', (_what, query) => {
    expect(verdict(query)).toBe('LIMIT_EXCEEDED')
  })
})
