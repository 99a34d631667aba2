import { builder } from '../core/builder.ts'
import { callerOf } from '../core/context.ts'
import { makeNode } from '../core/node.ts'
import { llmById } from './llms.ts'
import { playerByHash, playerName } from './players.ts'
import { userById } from './users.ts'

const PlayerKind = builder.enumType('PlayerKind', {
  description: 'What stands behind a player.',
  values: {
    USER: { value: 'user', description: 'A person.' },
    LLM: { value: 'llm', description: 'A language model.' },
    SYSTEM: { value: 'system', description: 'Engraph itself.' },
  } as const,
})

const Player = builder.prismaObject('Player', {
  description: 'Who sends or receives messages: a user, an LLM or the system.',
  fields: t => ({
    hash: t.expose('hash', {
      type: 'Hash',
      description: 'The id of the player in the message log.',
    }),
    kind: t.expose('kind', { type: PlayerKind, description: 'What stands behind it.' }),
    name: t.string({
      description: 'The name that people read.',
      resolve: (player, _args, context) => playerName(callerOf(context), player.hash),
    }),
    user: t.field({
      type: 'User',
      nullable: true,
      description: 'The user, where it is one and the viewer may see it.',
      resolve: ({ userId }, _args, context) =>
        userId ? userById(callerOf(context), userId) : null,
    }),
    llm: t.field({
      type: 'Llm',
      nullable: true,
      description: 'The LLM, where it is one.',
      resolve: ({ llmId }, _args, context) => (llmId ? llmById(callerOf(context), llmId) : null),
    }),
  }),
})

makeNode<'Player'>(Player, { id: player => player.hash, load: playerByHash })

builder.queryField('player', t =>
  t.field({
    type: 'Player',
    nullable: true,
    description: 'A player by its hash, or null.',
    args: {
      hash: t.arg({ type: 'Hash', required: true, description: 'The id in the message log.' }),
    },
    resolve: (_root, { hash }, context) => playerByHash(callerOf(context), hash),
  }),
)
