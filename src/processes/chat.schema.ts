import { builder } from '../core/builder.ts'
import { pageArgs, pageComplexity } from '../core/connection-args.ts'
import { callerOf } from '../core/context.ts'
import { notFound } from '../core/errors.ts'
import { makeNode } from '../core/node.ts'
import { userById } from '../identity/users.ts'
import { chatById, listChats } from './chats.ts'
import { RunConnection } from './run.schema.ts'
import { runsUnder } from './run-lists.ts'

const Chat = builder.prismaObject('Chat', {
  description: 'A conversation in which runs are started. Its owner sees it.',
  fields: t => ({
    title: t.exposeString('title', { nullable: true, description: 'What it is about.' }),
    owner: t.field({
      type: 'User',
      description: 'Whose it is.',
      async resolve({ ownerId }, _args, context) {
        const owner = await userById(callerOf(context), ownerId)
        // Who sees a chat is its owner or an administrator, so that nobody gets here.
        if (!owner) throw notFound('user')
        return owner
      },
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was created.' }),
    runs: t.field({
      type: RunConnection,
      description: 'The runs started in it, the newest first.',
      args: { ...pageArgs },
      complexity: pageComplexity,
      resolve: ({ id }, page, context) =>
        runsUnder(callerOf(context), { column: 'chat_id', id }, {}, page),
    }),
  }),
})
makeNode<'Chat'>(Chat, { id: chat => chat.id, load: chatById })

const ChatConnection = builder.connectionObject({
  type: 'Chat',
  name: 'ChatConnection',
  description: 'A page of chats.',
})

builder.queryField('chats', t =>
  t.field({
    type: ChatConnection,
    description: "The viewer's chats, an administrator's view of all, the newest first.",
    args: { ...pageArgs },
    complexity: pageComplexity,
    resolve: (_root, args, context) => listChats(callerOf(context), args),
  }),
)
