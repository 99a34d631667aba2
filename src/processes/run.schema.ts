import { builder } from '../core/builder.ts'
import { pageArgs, pageComplexity } from '../core/connection-args.ts'
import { type Context, callerOf } from '../core/context.ts'
import { readIdOf } from '../core/ids.ts'
import type { Json } from '../core/json.ts'
import { makeNode } from '../core/node.ts'
import { userById } from '../identity/users.ts'
import { chatById } from './chats.ts'
import { RunStatus } from './enums.schema.ts'
import { type LargeColumn, largeColumn } from './large-columns.ts'
import { processOf } from './process-list.ts'
import { lastQuestionOf } from './questions.ts'
import { RunFilter, RunOrder, readRunFilter, readRunOrder } from './run-filter.schema.ts'
import { listRuns, runsUnder } from './run-lists.ts'
import { runById } from './runs.ts'

/** What can be large costs as much as several fields. */
const largeCost = 5

const large =
  <Value>(column: LargeColumn<'process_runs'>) =>
  ({ id }: { id: string }, _args: unknown, context: Context) =>
    largeColumn<'process_runs', Value>(callerOf(context), 'process_runs', column, id)

const ProcessRun = builder.prismaObject('ProcessRun', {
  description:
    'One run of a process. Its requester sees it, the worker that carries it out, and workers that may claim it.',
  fields: t => ({
    process: t.field({
      type: 'Process',
      description: 'What is run.',
      resolve: (run, _args, context) => processOf(callerOf(context), run),
    }),
    requestedBy: t.field({
      type: 'User',
      nullable: true,
      description:
        'Who asked for it; null where a schedule did, and where the viewer may not see them.',
      resolve: ({ requestedById }, _args, context) =>
        requestedById === null ? null : userById(callerOf(context), requestedById),
    }),
    scheduledFor: t.expose('scheduledFor', {
      type: 'DateTime',
      nullable: true,
      description:
        "The time of the process's schedule that it was started for; null where somebody asked for it.",
    }),
    chat: t.field({
      type: 'Chat',
      nullable: true,
      description: 'The chat that it was started in; null where the viewer may not see it.',
      resolve: ({ chatId }, _args, context) =>
        chatId === null ? null : chatById(callerOf(context), chatId),
    }),
    sourceMessageHash: t.expose('sourceMessageId', {
      type: 'Hash',
      nullable: true,
      description: 'The hash of the message that it was started from.',
    }),
    inputText: t.string({
      nullable: true,
      description: 'What was asked, as text.',
      complexity: largeCost,
      resolve: large<string>('input_text'),
    }),
    inputPayload: t.field({
      type: 'JSON',
      nullable: true,
      description: 'What was asked, as JSON.',
      complexity: largeCost,
      resolve: large<Json>('input_payload'),
    }),
    status: t.expose('status', { type: RunStatus, description: 'Where it stands.' }),
    n8nExecutionId: t.exposeString('n8nExecutionId', {
      nullable: true,
      description: 'The id of its execution in n8n.',
    }),
    resultPayload: t.field({
      type: 'JSON',
      nullable: true,
      description: 'What it has ended with.',
      complexity: largeCost,
      resolve: large<Json>('result_payload'),
    }),
    partialResult: t.field({
      type: 'JSON',
      nullable: true,
      description: 'What its worker reported last before the end.',
      complexity: largeCost,
      resolve: large<Json>('partial_result'),
    }),
    errorText: t.exposeString('errorText', {
      nullable: true,
      description: 'Why it failed, is degraded or was cancelled.',
    }),
    replacedText: t.exposeBoolean('replacedText', {
      description: 'Whether U+FFFD stands for characters of its results that cannot be stored.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was asked for.' }),
    startedAt: t.expose('startedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When a worker first claimed it.',
    }),
    finishedAt: t.expose('finishedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it ended.',
    }),
    durationMs: t.float({
      nullable: true,
      description:
        'From its start to its end in whole milliseconds, which can be beyond an Int; null before the end, and without a start.',
      resolve: ({ startedAt, finishedAt }) =>
        startedAt && finishedAt ? finishedAt.getTime() - startedAt.getTime() : null,
    }),
    attempt: t.exposeInt('attempt', { description: 'How often a worker has claimed it.' }),
    worker: t.exposeString('worker', {
      nullable: true,
      description: 'The name of the worker that claimed it last.',
    }),
    leaseExpiresAt: t.expose('leaseExpiresAt', {
      type: 'DateTime',
      nullable: true,
      description: 'How long the lease of its worker holds; null where none has it.',
    }),
    deadlineAt: t.expose('deadlineAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it will have been in its status for too long; null when it has ended.',
    }),
    question: t.field({
      type: 'RunQuestion',
      nullable: true,
      description: 'The question that it waits for, or the last one that was answered.',
      resolve: ({ id }, _args, context) => lastQuestionOf(callerOf(context), id),
    }),
    rerunOf: t.field({
      type: 'ProcessRun',
      nullable: true,
      description: 'The run that it repeats; null where the viewer may not see it.',
      resolve: ({ rerunOfId }, _args, context) =>
        rerunOfId === null ? null : runById(callerOf(context), rerunOfId),
    }),
    lastSeq: t.exposeInt('lastSeq', {
      description: 'The seq of its last event, for `after` of runEvents.',
    }),
  }),
})
makeNode<'ProcessRun'>(ProcessRun, { id: run => run.id, load: runById })

export const RunConnection = builder.connectionObject({
  type: 'ProcessRun',
  name: 'RunConnection',
  description: 'A page of runs.',
  fields: t => ({
    changesCursor: t.field({
      type: 'Cursor',
      description:
        'Where runChanges goes on from what was read here, for its `after`. It loses nothing; what came right before the page was read it can tell again, with a seq up to `lastSeq`.',
      resolve: (_page, _args, context) => context.since,
    }),
  }),
})

builder.queryFields(t => ({
  runs: t.field({
    type: RunConnection,
    description: 'The runs that the viewer may see, the newest first.',
    args: {
      ...pageArgs,
      filter: t.arg({ type: RunFilter, description: 'Only these.' }),
      orderBy: t.arg({ type: RunOrder, description: 'Another order than the usual one.' }),
    },
    complexity: pageComplexity,
    resolve: (_root, { filter, orderBy, ...page }, context) =>
      listRuns(callerOf(context), readRunFilter(filter), readRunOrder(orderBy), page),
  }),
  run: t.field({
    type: 'ProcessRun',
    nullable: true,
    description: 'One run by its id, or null.',
    args: { id: t.arg.id({ required: true, description: 'The global id.' }) },
    resolve: (_root, { id }, context) => runById(callerOf(context), readIdOf('ProcessRun', id)),
  }),
}))

builder.prismaObjectField('Process', 'runs', t =>
  t.field({
    type: RunConnection,
    description: 'Its runs, of those that the viewer may see, the newest first.',
    args: { ...pageArgs, filter: t.arg({ type: RunFilter, description: 'Only these.' }) },
    complexity: pageComplexity,
    resolve: ({ id }, { filter, ...page }, context) =>
      runsUnder(callerOf(context), { column: 'process_id', id }, readRunFilter(filter), page),
  }),
)
