import { builder } from '../core/builder.ts'
import { pageArgs, pageComplexity } from '../core/connection-args.ts'
import { callerOf } from '../core/context.ts'
import { makeNode } from '../core/node.ts'
import { groupByKey, listGroups, saveGroup } from './groups.ts'
import { UserConnection } from './user.schema.ts'
import { membersOf } from './users.ts'

const Group = builder.prismaObject('Group', {
  description: 'People who share notes of level group. Seen by its members and by administrators.',
  fields: t => ({
    key: t.exposeString('key', { description: 'The unique key of the group.' }),
    name: t.exposeString('name', { description: 'The name that people read.' }),
    members: t.field({
      type: UserConnection,
      description: 'The members by login; who is no administrator sees only themselves.',
      args: { ...pageArgs },
      complexity: pageComplexity,
      resolve: (group, args, context) => membersOf(callerOf(context), group.key, args),
    }),
  }),
})

makeNode<'Group'>(Group, { id: group => group.key, load: groupByKey })

builder.queryField('groups', t =>
  t.field({
    type: ['Group'],
    description: "The viewer's groups, or all of them for an administrator, by key.",
    resolve: (_root, _args, context) => listGroups(callerOf(context)),
  }),
)

builder.mutationField('saveGroup', t =>
  t.field({
    type: 'Group',
    description:
      'Makes a group, or gives an existing one this name and these members. For administrators.',
    args: {
      key: t.arg.string({
        required: true,
        description: 'The key; 1 to 500 characters without spaces, commas and semicolons.',
      }),
      name: t.arg.string({ required: true, description: 'The name that people read.' }),
      members: t.arg.stringList({ required: true, description: 'Logins of exactly its members.' }),
    },
    resolve: (_root, args, context) => saveGroup(callerOf(context), args),
  }),
)
