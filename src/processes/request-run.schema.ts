import { builder } from '../core/builder.ts'
import { callerOf } from '../core/context.ts'
import { readIdOf } from '../core/ids.ts'
import { answerRun } from './ask.ts'
import { cancelRun } from './cancel.ts'
import { rerun, startRun } from './start-run.ts'

const StartRunInput = builder.inputType('StartRunInput', {
  description: 'What a run is to do.',
  fields: t => ({
    processCode: t.string({ description: 'The process by its code: this or processId.' }),
    processId: t.id({ description: 'The process by its global id.' }),
    inputText: t.string({ description: 'What the user says.' }),
    inputPayload: t.field({ type: 'JSON', description: 'Input in a structure.' }),
    chatId: t.id({ description: "A chat of the viewer's user that it belongs to." }),
    sourceMessageHash: t.field({
      type: 'Hash',
      description: 'The message of the log that it was started for.',
    }),
    idempotencyKey: t.string({
      description:
        'A key of 1 to 200 characters. The same call again with it answers the run that there is; with another input it is CONFLICT.',
    }),
  }),
})

const runId = (id: string) => readIdOf('ProcessRun', id)

builder.mutationFields(t => ({
  startRun: t.field({
    type: 'ProcessRun',
    description:
      'Queues a run of a process. CONFLICT where the process is a draft or archived; a paused one queues runs and hands none out.',
    args: { input: t.arg({ type: StartRunInput, required: true, description: 'The run.' }) },
    resolve: (_root, { input }, context) =>
      startRun(callerOf(context), {
        ...input,
        processId: input.processId && readIdOf('Process', input.processId, 'input.processId'),
        chatId: input.chatId && readIdOf('Chat', input.chatId, 'input.chatId'),
      }),
  }),
  cancelRun: t.field({
    type: 'ProcessRun',
    description: 'Ends a run that has not ended. Else ILLEGAL_TRANSITION.',
    args: {
      id: t.arg.id({ required: true, description: 'The global id.' }),
      reason: t.arg.string({ description: 'Why; it becomes the error text.' }),
    },
    resolve: (_root, { id, reason }, context) => cancelRun(callerOf(context), runId(id), reason),
  }),
  answerRun: t.field({
    type: 'ProcessRun',
    description:
      'Answers the question that the run waits for, so that a worker goes on with it. Of several answers one is taken, the others are ILLEGAL_TRANSITION; CONFLICT for the id of another question.',
    args: {
      id: t.arg.id({ required: true, description: 'The global id of the run.' }),
      questionId: t.arg.id({ required: true, description: 'The id of the question.' }),
      answer: t.arg({
        type: 'JSON',
        required: true,
        description: "What meets the question's schema.",
      }),
    },
    resolve: (_root, { id, questionId, answer }, context) =>
      answerRun(callerOf(context), {
        id: runId(id),
        questionId: readIdOf('RunQuestion', questionId, 'questionId'),
        answer: answer ?? null,
      }),
  }),
  rerun: t.field({
    type: 'ProcessRun',
    description: 'Queues a new run with the input of an old one, which it names as `rerunOf`.',
    args: { id: t.arg.id({ required: true, description: 'The global id of the old run.' }) },
    resolve: (_root, { id }, context) => rerun(callerOf(context), runId(id)),
  }),
}))
