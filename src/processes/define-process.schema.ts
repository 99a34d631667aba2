import { builder } from '../core/builder.ts'
import { callerOf } from '../core/context.ts'
import { readIdOf } from '../core/ids.ts'
import { createChat } from './create-chat.ts'
import { createProcess, updateProcess } from './define-process.ts'
import { ProcessStatus } from './enums.schema.ts'

const described = {
  code: 'The unique code, a name of 1 to 500 characters.',
  name: 'What people call it, 1 to 500 characters.',
  description: 'What it does, at most 500,000 characters.',
  promptTemplate: 'A prompt with {{variables}}, at most 500,000 characters.',
  defaultModel: 'The model that its runs call, where they say no other.',
  n8nWorkflowId: 'The workflow of n8n that carries it out.',
  n8nWebhookPath: 'The path of the webhook that starts it in n8n.',
  outputSchema: 'A JSON Schema (2020-12) that its results meet, at most 100 kB.',
  autoRun: 'Whether it starts by itself.',
  status: 'Whether it takes runs, and hands them out.',
  metadata:
    'Whatever else is kept of it, an object. Its `limits` are whole seconds: queueSeconds (604,800 without it), runSeconds (3,600) and waitSeconds (604,800) end runs that are queued, running or waiting for longer.',
}

const CreateProcessInput = builder.inputType('CreateProcessInput', {
  description: 'A new process.',
  fields: t => ({
    code: t.string({ required: true, description: described.code }),
    name: t.string({ required: true, description: described.name }),
    description: t.string({ description: described.description }),
    promptTemplate: t.string({ description: described.promptTemplate }),
    defaultModel: t.string({ description: described.defaultModel }),
    n8nWorkflowId: t.string({ description: described.n8nWorkflowId }),
    n8nWebhookPath: t.string({ description: described.n8nWebhookPath }),
    outputSchema: t.field({ type: 'JSON', description: described.outputSchema }),
    autoRun: t.boolean({ description: described.autoRun }),
    status: t.field({
      type: ProcessStatus,
      description: `${described.status} DRAFT without it.`,
    }),
    metadata: t.field({ type: 'JSON', description: described.metadata }),
  }),
})

const UpdateProcessInput = builder.inputType('UpdateProcessInput', {
  description:
    'What to change of a process; what is left out stays as it is, and null removes what can be absent.',
  fields: t => ({
    code: t.string({ description: described.code }),
    name: t.string({ description: described.name }),
    description: t.string({ description: described.description }),
    promptTemplate: t.string({ description: described.promptTemplate }),
    defaultModel: t.string({ description: described.defaultModel }),
    n8nWorkflowId: t.string({ description: described.n8nWorkflowId }),
    n8nWebhookPath: t.string({ description: described.n8nWebhookPath }),
    outputSchema: t.field({ type: 'JSON', description: described.outputSchema }),
    autoRun: t.boolean({ description: described.autoRun }),
    status: t.field({ type: ProcessStatus, description: described.status }),
    metadata: t.field({ type: 'JSON', description: described.metadata }),
  }),
})

builder.mutationFields(t => ({
  createProcess: t.field({
    type: 'Process',
    description: 'Defines a process. For administrators. CONFLICT where the code is taken.',
    args: {
      input: t.arg({ type: CreateProcessInput, required: true, description: 'The process.' }),
    },
    resolve: (_root, { input }, context) => createProcess(callerOf(context), input),
  }),
  updateProcess: t.field({
    type: 'Process',
    description: 'Changes a process. For administrators. CONFLICT where the code is taken.',
    args: {
      id: t.arg.id({ required: true, description: 'The global id.' }),
      input: t.arg({ type: UpdateProcessInput, required: true, description: 'The changes.' }),
    },
    resolve: (_root, { id, input }, context) =>
      updateProcess(callerOf(context), readIdOf('Process', id), input),
  }),
  createChat: t.field({
    type: 'Chat',
    description: "Makes a chat of the viewer's user, under which runs can be started.",
    args: { title: t.arg.string({ description: 'Its title, at most 500 characters.' }) },
    resolve: (_root, { title }, context) => createChat(callerOf(context), title),
  }),
}))
