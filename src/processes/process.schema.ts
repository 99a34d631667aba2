import { builder } from '../core/builder.ts'
import { pageArgs, pageComplexity } from '../core/connection-args.ts'
import { callerOf } from '../core/context.ts'
import { badInput } from '../core/errors.ts'
import { readIdOf } from '../core/ids.ts'
import { makeNode } from '../core/node.ts'
import { ProcessStatus } from './enums.schema.ts'
import { listProcesses, processByCode, processById } from './process-list.ts'
import { nextRunAt } from './schedule.ts'

const Process = builder.prismaObject('Process', {
  description:
    'A named piece of work that runs carry out. Those that take runs everybody sees, others administrators, workers, and who has runs of them.',
  fields: t => ({
    code: t.exposeString('code', { description: 'The unique name that programs know it by.' }),
    name: t.exposeString('name', { description: 'The name that people read.' }),
    description: t.exposeString('description', { nullable: true, description: 'What it does.' }),
    promptTemplate: t.exposeString('promptTemplate', {
      nullable: true,
      description: 'The prompt, with {{variables}}.',
    }),
    defaultModel: t.exposeString('defaultModel', {
      nullable: true,
      description: 'The model to use where a run does not say another.',
    }),
    n8nWorkflowId: t.exposeString('n8nWorkflowId', {
      nullable: true,
      description: 'The id of its workflow in n8n.',
    }),
    n8nWebhookPath: t.exposeString('n8nWebhookPath', {
      nullable: true,
      description: 'The path of the webhook that starts it in n8n.',
    }),
    outputSchema: t.expose('outputSchema', {
      type: 'JSON',
      nullable: true,
      description: 'The JSON Schema that a result must meet.',
    }),
    autoRun: t.exposeBoolean('autoRun', {
      description: 'Whether it starts by itself, by the schedule in its metadata.',
    }),
    nextRunAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When its schedule starts it next; null where none does.',
      resolve: process => nextRunAt(process),
    }),
    status: t.expose('status', { type: ProcessStatus, description: 'Whether it takes runs.' }),
    metadata: t.expose('metadata', {
      type: 'JSON',
      description:
        'Whatever else is kept of it, an object; its `limits` are limits of time, its `schedule` says when it starts by itself.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was created.' }),
  }),
})
makeNode<'Process'>(Process, { id: process => process.id, load: processById })

const ProcessConnection = builder.connectionObject({
  type: 'Process',
  name: 'ProcessConnection',
  description: 'A page of processes.',
})

builder.queryFields(t => ({
  processes: t.field({
    type: ProcessConnection,
    description: 'The processes that the viewer may see, by their code.',
    args: {
      ...pageArgs,
      status: t.arg({ type: [ProcessStatus], description: 'Only those in one of these.' }),
      search: t.arg.string({
        description:
          'Part of the code, the name or the description, in any case, with or without accents.',
      }),
    },
    complexity: pageComplexity,
    resolve: (_root, args, context) => listProcesses(callerOf(context), args),
  }),
  process: t.field({
    type: 'Process',
    nullable: true,
    description: 'One process by its id or its code, or null.',
    args: {
      id: t.arg.id({ description: 'The global id.' }),
      code: t.arg.string({ description: 'The code, in any spelling that stands for it.' }),
    },
    resolve(_root, { id, code }, context) {
      if ((id == null) === (code == null)) throw badInput('Give one of id and code.', 'id')
      const caller = callerOf(context)
      return id == null
        ? processByCode(caller, code ?? '')
        : processById(caller, readIdOf('Process', id))
    },
  }),
}))
