import { builder } from '../core/builder.ts'
import { pageArgs, pageComplexity } from '../core/connection-args.ts'
import { callerOf } from '../core/context.ts'
import { makeNode } from '../core/node.ts'
import { groupsOf } from './groups.ts'
import { playerOfUser } from './players.ts'
import { createUser, listUsers, updateUser, userById } from './users.ts'

const Role = builder.enumType('Role', {
  description:
    'What a person may do: a member works with its own, an administrator with everything.',
  values: {
    MEMBER: { value: 'member', description: 'Works with what is its own and what all share.' },
    ADMIN: { value: 'admin', description: 'Works with everything.' },
  } as const,
})

const User = builder.prismaObject('User', {
  description: 'A person. Everybody sees themselves, administrators everybody.',
  fields: t => ({
    login: t.exposeString('login', {
      description: 'The unique name that tokens, groups and notes know the person by.',
    }),
    displayName: t.exposeString('displayName', { description: 'The name that others read.' }),
    role: t.expose('role', { type: Role, description: 'Member or administrator.' }),
    groups: t.field({
      type: ['Group'],
      description: 'The groups that the person is a member of and the viewer may see, by key.',
      resolve: (user, _args, context) => groupsOf(callerOf(context), user.id),
    }),
    player: t.field({
      type: 'Player',
      description: 'Who the person is in messages.',
      resolve: (user, _args, context) => playerOfUser(callerOf(context), user.id),
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was created.' }),
    disabledAt: t.expose('disabledAt', {
      type: 'DateTime',
      nullable: true,
      description: 'Since when no token of the person is accepted; null while they are.',
    }),
  }),
})

makeNode<'User'>(User, { id: user => user.id, load: userById })

export const UserConnection = builder.connectionObject({
  type: 'User',
  name: 'UserConnection',
  description: 'A page of users.',
})

builder.queryField('users', t =>
  t.field({
    type: UserConnection,
    description: 'All users by login. For administrators; others get FORBIDDEN.',
    args: {
      ...pageArgs,
      search: t.arg.string({
        description:
          'Part of the login or of the display name, in any case, with or without accents.',
      }),
    },
    complexity: pageComplexity,
    resolve: (_root, args, context) => listUsers(callerOf(context), args),
  }),
)

const CreateUserInput = builder.inputType('CreateUserInput', {
  description: 'A new person.',
  fields: t => ({
    login: t.string({
      required: true,
      description:
        'Unique in any letter case; 1 to 500 characters without spaces, commas and semicolons.',
    }),
    displayName: t.string({ description: 'The login, where it is left out.' }),
    role: t.field({
      type: Role,
      required: true,
      defaultValue: 'member',
      description: 'What the person may do.',
    }),
    groups: t.stringList({ description: 'Keys of existing groups to join.' }),
  }),
})

builder.mutationField('createUser', t =>
  t.field({
    type: 'User',
    description: 'Creates a person. For administrators. CONFLICT where the login is taken.',
    args: { input: t.arg({ type: CreateUserInput, required: true, description: 'The person.' }) },
    resolve: (_root, { input }, context) => createUser(callerOf(context), input),
  }),
)

const UpdateUserInput = builder.inputType('UpdateUserInput', {
  description: 'What to change of a person; what is left out or null stays as it is.',
  fields: t => ({
    displayName: t.string({ description: 'The new display name.' }),
    role: t.field({
      type: Role,
      description: 'The new role. The last administrator must stay one.',
    }),
    groups: t.stringList({ description: 'Keys of exactly the groups to be a member of.' }),
    disabled: t.boolean({
      description: 'True refuses all tokens of the person, false takes that back.',
    }),
  }),
})

builder.mutationField('updateUser', t =>
  t.field({
    type: 'User',
    description: 'Changes a person, from the next operation on. For administrators.',
    args: {
      login: t.arg.string({
        required: true,
        description: 'Whom to change, in the exact letter case.',
      }),
      input: t.arg({ type: UpdateUserInput, required: true, description: 'The changes.' }),
    },
    resolve: (_root, { login, input }, context) => updateUser(callerOf(context), login, input),
  }),
)
