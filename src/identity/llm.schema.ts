import { builder } from '../core/builder.ts'
import { pageArgs, pageComplexity } from '../core/connection-args.ts'
import { callerOf } from '../core/context.ts'
import { makeNode } from '../core/node.ts'
import { listLlms, llmById, registerLlm } from './llms.ts'
import { playerOfLlm } from './players.ts'

const Llm = builder.prismaObject('Llm', {
  description: 'A language model of the registry.',
  fields: t => ({
    llmId: t.exposeString('id', {
      description: 'The id that it is registered under: a UUID or an alias.',
    }),
    name: t.exposeString('name', { description: 'The name that people read.' }),
    description: t.exposeString('description', {
      nullable: true,
      description: 'What it is and what it is used for.',
    }),
    registeredAt: t.expose('registeredAt', {
      type: 'DateTime',
      description: 'When it was registered.',
    }),
    player: t.field({
      type: 'Player',
      description: 'Who the LLM is in messages.',
      resolve: (llm, _args, context) => playerOfLlm(callerOf(context), llm.id),
    }),
  }),
})

makeNode<'Llm'>(Llm, { id: llm => llm.id, load: llmById })

const LlmConnection = builder.connectionObject({
  type: 'Llm',
  name: 'LlmConnection',
  description: 'A page of the LLM registry.',
})

builder.queryFields(t => ({
  llms: t.field({
    type: LlmConnection,
    description: 'The registered LLMs by their id.',
    args: { ...pageArgs },
    complexity: pageComplexity,
    resolve: (_root, args, context) => listLlms(callerOf(context), args),
  }),
  llm: t.field({
    type: 'Llm',
    nullable: true,
    description: 'A registered LLM, or null.',
    args: {
      llmId: t.arg.string({ required: true, description: 'The id it is registered under.' }),
    },
    resolve: (_root, { llmId }, context) => llmById(callerOf(context), llmId),
  }),
}))

builder.mutationField('registerLlm', t =>
  t.field({
    type: 'Llm',
    description:
      'Registers an LLM, or brings its name and description up to date. For administrators, and for the agent that is this LLM.',
    args: {
      llmId: t.arg.string({
        required: true,
        description: 'A UUID or an alias, 1 to 500 characters.',
      }),
      name: t.arg.string({ required: true, description: 'The name that people read.' }),
      description: t.arg.string({
        description: 'What it is; left out, it stays as it is, and null removes it.',
      }),
    },
    resolve: (_root, args, context) => registerLlm(callerOf(context), args),
  }),
)
