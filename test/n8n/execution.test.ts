import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Json } from '../../src/core/json.ts'
import { readExecution } from '../../src/n8n/execution.ts'

const node = (startTime: number, more: object = {}) => ({
  startTime,
  executionTime: 20,
  executionStatus: 'success',
  data: { main: [[{ json: { at: startTime } }]] },
  ...more,
})

describe('an execution of n8n', () => {
  it('has its nodes as steps in the order in which they began, and its last output as result', () => {
    const execution = {
      id: '7',
      status: 'success',
      finished: true,
      data: {
        resultData: {
          lastNodeExecuted: 'Answer',
          runData: {
            Answer: [node(3_000)],
            Webhook: [node(1_000)],
            Loop: [node(2_000), node(2_500)],
          },
        },
      },
    }
    const { end, steps, result, errorText } = readExecution(execution)
    expect({ end, result, errorText }).toEqual({
      end: 'succeeded',
      result: { at: 3_000 },
      errorText: null,
    })
    expect(steps.map(({ stepKey, startedAt }) => [stepKey, startedAt.getTime()])).toEqual([
      ['Webhook', 1_000],
      ['Loop', 2_000],
      ['Loop (2)', 2_500],
      ['Answer', 3_000],
    ])
    expect(steps[0]?.finishedAt.getTime()).toBe(1_020)
  })

  it('that failed says why, and at which node', () => {
    const error = { message: 'no route', description: 'the host is down' }
    const { end, steps, errorText } = readExecution({
      status: 'error',
      data: {
        resultData: {
          error,
          lastNodeExecuted: 'HTTP',
          runData: {
            HTTP: [node(1, { executionStatus: 'error', error, data: undefined })] as never,
          },
        },
      },
    })
    expect({ end, errorText }).toEqual({ end: 'failed', errorText: 'no route: the host is down' })
    expect(steps).toMatchObject([
      { stepKey: 'HTTP', status: 'failed', errorText: 'no route: the host is down' },
    ])
  })

  it.each<[string, Json, string | undefined]>([
    ['canceled', { status: 'canceled' }, 'cancelled'],
    ['crashed', { status: 'crashed' }, 'failed'],
    ['running', { status: 'running', finished: false }, undefined],
    ['waiting', { status: 'waiting' }, undefined],
    ['finished, of an old n8n', { finished: true }, 'succeeded'],
  ])('that is %s is read so', (_what, execution, end) => {
    expect(readExecution(execution).end).toBe(end)
  })

  it('of any other shape has nothing to tell', () => {
    fc.assert(
      fc.property(fc.jsonValue(), value => {
        const { steps } = readExecution({ data: { resultData: { runData: value } } } as Json)
        for (const { startedAt } of steps) expect(startedAt.getTime()).not.toBeNaN()
      }),
    )
  })
})
