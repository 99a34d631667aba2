import pino from 'pino'
import { onTestFinished } from 'vitest'
import type { Change } from '../../src/core/change.ts'
import { topic } from '../../src/core/change.ts'
import type { Context } from '../../src/core/context.ts'
import { type Database, openDatabase } from '../../src/core/database.ts'
import { Loaders } from '../../src/core/loaders.ts'
import { transaction } from '../../src/core/transaction.ts'
import { append } from '../../src/events/append.ts'
import { ChangeFeed } from '../../src/events/feed.ts'
import { viewer } from '../support/raw-server.ts'

const log = pino({ level: 'silent' })

/** A topic that only tests know. */
const news = topic<{ text: string }>('news')

/** The feed of one instance, without a server around it. */
export interface Instance {
  db: Database
  feed: ChangeFeed
  /** Writes as a command does, and answers when it is committed. */
  write(...texts: string[]): Promise<void>
  /** From now on, or from a cursor on. */
  follow(options?: { after?: string; subject?: string; afterSeq?: number }): Follower
}

interface Follower extends AsyncIterator<Change<{ text: string }>> {
  take(count: number): Promise<string[]>
}

interface InstanceOptions {
  /** Of the database for the bus, where another way leads there. */
  busUrl?: string
  redisUrl?: string | undefined
}

export async function openInstance(
  url: string,
  { busUrl = url, redisUrl }: InstanceOptions = {},
): Promise<Instance> {
  const db = await openDatabase(url, { maxConnections: 4, log })
  onTestFinished(() => db.close())
  const feed = await ChangeFeed.open({ db, gate: db, url: busUrl, redisUrl, hoursKept: 1, log })
  onTestFinished(() => feed.close())
  return {
    db,
    feed,
    write: (...texts) =>
      transaction({ db, loaders: new Loaders() }, tx =>
        append(
          tx,
          news,
          texts.map(text => ({ subject: 'all', payload: { text } })),
        ),
      ),
    follow: (options = {}) =>
      followerOf(feed.follow(contextOf(db, feed), news, { name: 'news', ...options })),
  }
}

function followerOf(changes: AsyncIterable<Change<{ text: string }>>): Follower {
  const iterator = changes[Symbol.asyncIterator]()
  onTestFinished(() => void iterator.return?.())
  return {
    next: () => iterator.next(),
    async take(count) {
      const texts: string[] = []
      while (texts.length < count) {
        const { done, value } = await iterator.next()
        if (done) throw new Error('the stream ended')
        texts.push(value.payload.text)
      }
      return texts
    },
  }
}

function contextOf(db: Database, feed: ChangeFeed): Context {
  const root = viewer('root', { kind: 'ADMIN' })
  return {
    requestId: 'test',
    log,
    db,
    viewer: root,
    loaders: new Loaders(),
    feed,
    since: feed.position,
    access: { current: async () => root, renew() {} },
  }
}
