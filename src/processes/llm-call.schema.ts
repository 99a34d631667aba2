import { builder } from '../core/builder.ts'
import { pageArgs, pageComplexity } from '../core/connection-args.ts'
import { callerOf } from '../core/context.ts'
import { readIdOf } from '../core/ids.ts'
import { makeNode } from '../core/node.ts'
import { listLlmCalls, llmCallById, llmCallsOf, llmPayload, llmPayloadText } from './llm-calls.ts'
import { processById } from './process-list.ts'
import { runById } from './runs.ts'
import { stepById } from './steps.ts'

const heldNumbers = 'A number that a double cannot hold is a string of its digits.'

const LlmCall = builder.prismaObject('LlmCall', {
  description:
    'A call of a language model, for the audit. Who sees its run sees it, and who recorded it. Secrets were taken out of it before it was stored.',
  fields: t => ({
    scope: t.exposeString('scope', { description: 'What it was made for, such as `process`.' }),
    process: t.field({
      type: 'Process',
      nullable: true,
      description: 'The process that it was made for.',
      resolve: ({ processId }, _args, context) =>
        processId === null ? null : processById(callerOf(context), processId),
    }),
    run: t.field({
      type: 'ProcessRun',
      nullable: true,
      description: 'The run that made it; null where the viewer may not see it.',
      resolve: ({ runId }, _args, context) =>
        runId === null ? null : runById(callerOf(context), runId),
    }),
    step: t.field({
      type: 'ProcessRunStep',
      nullable: true,
      description: 'The step of the run that made it.',
      resolve: ({ stepId }, _args, context) =>
        stepId === null ? null : stepById(callerOf(context), stepId),
    }),
    model: t.exposeString('model', { description: 'The model that was called.' }),
    endpoint: t.exposeString('endpoint', { description: 'The URL that was called.' }),
    requestJson: t.field({
      type: 'JSON',
      description: `What was sent. ${heldNumbers}`,
      complexity: 5,
      resolve: (call, _args, context) => llmPayload(callerOf(context), call, 'request_json::text'),
    }),
    requestText: t.string({
      description: 'What was sent, as the text of its JSON, with every digit of its numbers.',
      complexity: 5,
      resolve: async (call, _args, context) =>
        (await llmPayloadText(callerOf(context), call, 'request_json::text')) ?? '',
    }),
    responseJson: t.field({
      type: 'JSON',
      nullable: true,
      description: `What was answered. ${heldNumbers}`,
      complexity: 5,
      resolve: (call, _args, context) => llmPayload(callerOf(context), call, 'response_json::text'),
    }),
    responseText: t.string({
      nullable: true,
      description: 'What was answered, as the text of its JSON, with every digit of its numbers.',
      complexity: 5,
      resolve: (call, _args, context) =>
        llmPayloadText(callerOf(context), call, 'response_json::text'),
    }),
    latencyMs: t.exposeInt('latencyMs', {
      nullable: true,
      description: 'How long it took, in milliseconds.',
    }),
    httpStatus: t.exposeInt('httpStatus', {
      nullable: true,
      description: 'The HTTP status of the answer.',
    }),
    errorText: t.exposeString('errorText', { nullable: true, description: 'Why it failed.' }),
    promptTokens: t.exposeInt('promptTokens', {
      nullable: true,
      description: 'The tokens of the prompt, where the answer says them.',
    }),
    completionTokens: t.exposeInt('completionTokens', {
      nullable: true,
      description: 'The tokens of the answer, where it says them.',
    }),
    replacedText: t.exposeBoolean('replacedText', {
      description: 'Whether U+FFFD stands for characters that cannot be stored.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was recorded.' }),
  }),
})
makeNode<'LlmCall'>(LlmCall, { id: call => call.id, load: llmCallById })

const LlmCallConnection = builder.connectionObject({
  type: 'LlmCall',
  name: 'LlmCallConnection',
  description: 'A page of LLM calls.',
})

const LlmCallFilter = builder.inputType('LlmCallFilter', {
  description:
    'Which LLM calls: those that meet all that is given. What the viewer may not see nothing meets.',
  fields: t => ({
    scope: t.string({ description: 'Of this scope.' }),
    model: t.string({ description: 'Of this model.' }),
    runId: t.id({ description: 'Made by the run with this global id.' }),
    processCode: t.string({ description: 'Made for the process of this code.' }),
    hasError: t.boolean({
      description: 'True: with an error text or an HTTP status from 400 on; false: without.',
    }),
    createdAfter: t.field({ type: 'DateTime', description: 'Recorded at this time or later.' }),
    createdBefore: t.field({ type: 'DateTime', description: 'Recorded before this time.' }),
  }),
})

builder.queryField('llmCalls', t =>
  t.field({
    type: LlmCallConnection,
    description: 'The LLM calls that the viewer may see, the newest first.',
    args: { ...pageArgs, filter: t.arg({ type: LlmCallFilter, description: 'Only these.' }) },
    complexity: pageComplexity,
    resolve(_root, { filter, ...page }, context) {
      const { runId } = filter ?? {}
      const run = runId == null ? null : readIdOf('ProcessRun', runId, 'filter.runId')
      return listLlmCalls(callerOf(context), { ...filter, runId: run }, page)
    },
  }),
)

builder.prismaObjectField('ProcessRun', 'llmCalls', t =>
  t.field({
    type: LlmCallConnection,
    description: 'The LLM calls that it made, the oldest first.',
    args: { ...pageArgs },
    complexity: pageComplexity,
    resolve: ({ id }, page, context) => llmCallsOf(callerOf(context), id, page),
  }),
)
