import { builder } from '../core/builder.ts'
import { callerOf } from '../core/context.ts'
import { readIdOf } from '../core/ids.ts'
import { recordLlmCall } from './record-llm-call.ts'

const LlmCallInput = builder.inputType('LlmCallInput', {
  description:
    'A call of a language model. Secrets in it are taken out before it is stored; characters that cannot be stored become U+FFFD.',
  fields: t => ({
    scope: t.string({
      required: true,
      description: 'What it was made for, such as process or chat; 1 to 200 characters.',
    }),
    processId: t.id({
      description: 'Without a lease, the process that it was made for, by its global id.',
    }),
    stepId: t.id({ description: 'With a lease, the step of the run, by its global id.' }),
    model: t.string({ required: true, description: 'The model that was asked.' }),
    endpoint: t.string({ required: true, description: 'The address that was called.' }),
    requestJson: t.field({ type: 'JSON', description: 'What was sent: this or requestText.' }),
    requestText: t.string({
      description:
        'What was sent, as the text of its JSON: so are numbers kept that JavaScript would change. What is no JSON is kept as a string.',
    }),
    responseJson: t.field({
      type: 'JSON',
      description: 'What was answered, if anything: this or responseText.',
    }),
    responseText: t.string({ description: 'What was answered, in the same way as text.' }),
    latencyMs: t.int({ description: 'How long it took, in milliseconds.' }),
    httpStatus: t.int({ description: 'The HTTP status, 100 to 599.' }),
    errorText: t.string({ description: 'What went wrong.' }),
    idempotencyKey: t.string({
      description:
        'A key of 1 to 200 characters. The same call again with it is recorded once; with another content it is CONFLICT.',
    }),
  }),
})

builder.mutationField('recordLlmCall', t =>
  t.field({
    type: 'LlmCall',
    description:
      'Records a call of a language model. With a lease it belongs to that run, even when the run has ended.',
    args: {
      lease: t.arg.string({
        description: 'The lease that claimRuns gave, for a call of that run.',
      }),
      input: t.arg({ type: LlmCallInput, required: true, description: 'The call.' }),
    },
    resolve: (_root, { lease, input }, context) =>
      recordLlmCall(callerOf(context), lease, {
        ...input,
        processId: input.processId && readIdOf('Process', input.processId, 'input.processId'),
        stepId: input.stepId && readIdOf('ProcessRunStep', input.stepId, 'input.stepId'),
      }),
  }),
)
