import { builder } from '../core/builder.ts'
import { callerOf } from '../core/context.ts'
import { RunStatus } from './enums.schema.ts'
import { type Figures, type Percentiles as PercentilesRow, performanceOf } from './performance.ts'
import { runsUnder } from './run-lists.ts'

const RunStatusCount = builder
  .objectRef<{ status: keyof Figures['byStatus']; count: number }>('RunStatusCount')
  .implement({
    description: 'How many runs are in a status.',
    fields: t => ({
      status: t.expose('status', { type: RunStatus, description: 'The status.' }),
      count: t.exposeInt('count', { description: 'How many there are.' }),
    }),
  })

const percentile = (index: number) => (measured: { of: PercentilesRow }) =>
  measured.of?.[index] ?? null

const Percentiles = builder.objectRef<{ of: PercentilesRow }>('Percentiles').implement({
  description: 'What part of the measured stayed within which value; null where nothing was.',
  fields: t => ({
    p50: t.float({ nullable: true, description: 'Half of them.', resolve: percentile(0) }),
    p95: t.float({ nullable: true, description: '95 in 100.', resolve: percentile(1) }),
    p99: t.float({ nullable: true, description: '99 in 100.', resolve: percentile(2) }),
  }),
})

const ProcessPerformance = builder.objectRef<Figures>('ProcessPerformance').implement({
  description:
    'What became of the runs of a process, of those that the viewer may see. The view mart.vw_process_performance has the same of all.',
  fields: t => ({
    total: t.exposeInt('total', { description: 'How many runs there are.' }),
    byStatus: t.field({
      type: [RunStatusCount],
      description: 'How many of them are in each status.',
      complexity: { multiplier: 7 },
      resolve: ({ byStatus }) => {
        const statuses = Object.keys(byStatus) as (keyof typeof byStatus)[]
        return statuses.map(status => ({ status, count: byStatus[status] }))
      },
    }),
    successRate: t.exposeFloat('successRate', {
      nullable: true,
      description:
        'Which part of those that succeeded, degraded or failed has succeeded, 0 to 1; null where none has ended so.',
    }),
    queueWaitMs: t.field({
      type: Percentiles,
      description: 'From the creation of a run until a worker first claimed it, in milliseconds.',
      resolve: ({ queueWaitMs }) => ({ of: queueWaitMs }),
    }),
    durationMs: t.field({
      type: Percentiles,
      description: 'From the first claim of a run to its end, in milliseconds.',
      resolve: ({ durationMs }) => ({ of: durationMs }),
    }),
    llmCalls: t.exposeInt('llmCalls', { description: 'How many LLM calls were recorded.' }),
    promptTokens: t.exposeFloat('promptTokens', {
      description: 'The tokens of their prompts: a whole number, which can be beyond an Int.',
    }),
    completionTokens: t.exposeFloat('completionTokens', {
      description: 'The tokens of their answers: a whole number, which can be beyond an Int.',
    }),
    lastRun: t.field({
      type: 'ProcessRun',
      nullable: true,
      description: 'The run that was created last.',
      async resolve({ processId, since }, _args, context) {
        const parent = { column: 'process_id', id: processId } as const
        const filter = { createdAfter: since }
        const page = await runsUnder(callerOf(context), parent, filter, { first: 1 })
        return page.edges[0]?.node ?? null
      },
    }),
  }),
})

builder.prismaObjectField('Process', 'performance', t =>
  t.field({
    type: ProcessPerformance,
    description: 'What became of its runs, of those that the viewer may see.',
    args: {
      since: t.arg({
        type: 'DateTime',
        description: 'Only runs and LLM calls created at this time or later.',
      }),
    },
    // Every run of the process is read for it.
    complexity: 400,
    resolve: (process, { since }, context) =>
      performanceOf(callerOf(context), process.id, since ?? null),
  }),
)
