import { randomUUID } from 'node:crypto'
import { type DocumentNode, execute, type GraphQLSchema, parse } from 'graphql'
import { type Ask, AskError } from '../core/ask.ts'
import type { Context, Viewer } from '../core/context.ts'
import type { Database } from '../core/database.ts'
import { Loaders } from '../core/loaders.ts'
import type { Log } from '../core/log.ts'
import type { ChangeFeed } from '../events/feed.ts'
import { toClientError } from './graphql-errors.ts'

export interface LocalAskOptions {
  schema: GraphQLSchema
  db: Database
  feed: Pick<ChangeFeed, 'position' | 'follow'>
  log: Log
  viewer: Viewer
}

/** The API for a part of the server itself, without a network between. */
export function localAsk({ schema, db, feed, log, viewer }: LocalAskOptions): Ask {
  const documents = new Map<string, DocumentNode>()
  return async (text, variableValues) => {
    const document = documents.get(text) ?? parse(text)
    documents.set(text, document)
    const requestId = randomUUID()
    const contextValue: Context = {
      requestId,
      log,
      db,
      viewer,
      loaders: new Loaders(),
      feed,
      since: feed.position,
      access: { current: () => viewer, renew() {} },
    }
    const { data, errors } = await execute({ schema, document, variableValues, contextValue })
    if (errors?.[0]) {
      const { message, code } = toClientError(errors[0], { requestId, log })
      throw new AskError(message, code)
    }
    return data as never
  }
}
