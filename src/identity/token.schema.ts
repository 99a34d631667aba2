import { builder } from '../core/builder.ts'
import { pageArgs, pageComplexity } from '../core/connection-args.ts'
import { callerOf } from '../core/context.ts'
import { notFound } from '../core/errors.ts'
import { readIdOf } from '../core/ids.ts'
import { makeNode } from '../core/node.ts'
import type { ApiToken as ApiTokenRow } from '../generated/prisma/client.ts'
import { llmById } from './llms.ts'
import { createToken, revokeToken, tokenById, tokensOf } from './tokens.ts'
import { userById } from './users.ts'

const TokenKind = builder.enumType('TokenKind', {
  description:
    'Whom a token lets in: a person, an LLM that acts for one, or a worker that executes runs.',
  values: {
    USER: { value: 'user', description: 'A person.' },
    AGENT: { value: 'agent', description: 'An LLM that acts for a person.' },
    WORKER: { value: 'worker', description: 'A program that executes runs.' },
  } as const,
})

const ApiToken = builder.prismaObject('ApiToken', {
  description: 'A token of the API. Its secret is shown once, when it is created, and not kept.',
  fields: t => ({
    name: t.exposeString('name', { description: 'What it is for, in the words of who made it.' }),
    kind: t.expose('kind', { type: TokenKind, description: 'Whom it lets in.' }),
    user: t.field({
      type: 'User',
      description: 'The person it belongs to or acts for.',
      async resolve(token, _args, context) {
        // Who sees a token sees whose it is.
        const user = await userById(callerOf(context), token.userId)
        if (!user) throw notFound('user')
        return user
      },
    }),
    llm: t.field({
      type: 'Llm',
      nullable: true,
      description: 'The LLM that the agent is; null for other kinds.',
      resolve: ({ llmId }, _args, context) => (llmId ? llmById(callerOf(context), llmId) : null),
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was created.' }),
    expiresAt: t.expose('expiresAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it ends by itself; null: never.',
    }),
    lastUsedAt: t.expose('lastUsedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it was last used, to the minute; null: not yet.',
    }),
    revokedAt: t.expose('revokedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it was revoked; null while it is not.',
    }),
  }),
})

makeNode<'ApiToken'>(ApiToken, { id: token => token.id, load: tokenById })

const ApiTokenConnection = builder.connectionObject({
  type: 'ApiToken',
  name: 'ApiTokenConnection',
  description: 'A page of tokens.',
})

builder.prismaObjectField('User', 'tokens', t =>
  t.field({
    type: ApiTokenConnection,
    description: 'The tokens of the person, the newest first; an agent sees only its own.',
    args: { ...pageArgs },
    complexity: pageComplexity,
    resolve: (user, args, context) => tokensOf(callerOf(context), user.id, args),
  }),
)

const CreateTokenInput = builder.inputType('CreateTokenInput', {
  description: 'A new token.',
  fields: t => ({
    name: t.string({ required: true, description: 'What it is for, 1 to 500 characters.' }),
    kind: t.field({
      type: TokenKind,
      required: true,
      defaultValue: 'user',
      description: 'Whom it lets in.',
    }),
    login: t.string({ description: 'Whose it is; the viewer, where it is left out.' }),
    llmId: t.string({ description: 'The registered LLM that an agent is; for kind AGENT alone.' }),
    expiresAt: t.field({
      type: 'DateTime',
      description: 'When it ends by itself; never, where it is left out.',
    }),
  }),
})

const CreatedToken = builder
  .objectRef<{ token: ApiTokenRow; secret: string }>('CreatedToken')
  .implement({
    description: 'A token just made, with the secret that cannot be shown again.',
    fields: t => ({
      token: t.field({ type: 'ApiToken', description: 'The token.', resolve: made => made.token }),
      secret: t.exposeString('secret', {
        description: 'Sent as `Authorization: Bearer <secret>`.',
      }),
    }),
  })

builder.mutationFields(t => ({
  createToken: t.field({
    type: CreatedToken,
    description:
      'Makes a token. People make tokens of kind USER for themselves; administrators make any token for anybody.',
    args: { input: t.arg({ type: CreateTokenInput, required: true, description: 'The token.' }) },
    resolve: (_root, { input }, context) => createToken(callerOf(context), input),
  }),
  revokeToken: t.field({
    type: 'ApiToken',
    description: 'Ends a token at once. NOT_FOUND for one that the viewer may not see.',
    args: { id: t.arg.id({ required: true, description: 'The global id of the token.' }) },
    resolve: (_root, { id }, context) => revokeToken(callerOf(context), readIdOf('ApiToken', id)),
  }),
}))
