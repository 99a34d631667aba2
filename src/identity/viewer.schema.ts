import { builder } from '../core/builder.ts'
import { type Caller, callerOf } from '../core/context.ts'
import { ownGroups } from './groups.ts'
import { llmById } from './llms.ts'
import { ownUser } from './users.ts'

const ViewerKind = builder.enumType('ViewerKind', {
  description: 'A person, an LLM acting for one, a worker that executes runs, or an administrator.',
  values: {
    USER: { description: 'A person.' },
    AGENT: { description: 'An LLM that acts for a person.' },
    WORKER: { description: 'A program that executes runs.' },
    ADMIN: { description: 'A person with the role of administrator.' },
  } as const,
})

const Viewer = builder.objectRef<Caller>('Viewer').implement({
  description: 'Who asks, as the token tells.',
  fields: t => ({
    kind: t.field({
      type: ViewerKind,
      description: 'Which column of the permission table holds.',
      resolve: ({ viewer }) => viewer.kind,
    }),
    user: t.field({
      type: 'User',
      description: 'The person who asks, or for whom the agent or worker does.',
      resolve: caller => ownUser(caller),
    }),
    groups: t.field({
      type: ['Group'],
      description: 'The groups that count for this token, by key.',
      resolve: caller => ownGroups(caller),
    }),
    llm: t.field({
      type: 'Llm',
      nullable: true,
      description: 'The LLM that an agent is; null for everybody else.',
      resolve: caller => (caller.viewer.llmId ? llmById(caller, caller.viewer.llmId) : null),
    }),
  }),
})

builder.queryField('viewer', t =>
  t.field({
    type: Viewer,
    description: 'Who asks.',
    resolve: (_root, _args, context) => callerOf(context),
  }),
)
