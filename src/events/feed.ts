import type { Change, Topic } from '../core/change.ts'
import type { Context, Feed, FollowOptions } from '../core/context.ts'
import type { Database } from '../core/database.ts'
import { badInput } from '../core/errors.ts'
import { lend } from '../core/lending.ts'
import { Loaders } from '../core/loaders.ts'
import type { Log } from '../core/log.ts'
import { sharedByClass } from '../core/shared-by-class.ts'
import { SharedResults } from '../core/shared-results.ts'
import { AccessWatch } from './access-watch.ts'
import type { Bus, BusOptions } from './bus.ts'
import type { ChangeLog } from './change-log.ts'
import { ChangeStream, readPlace } from './change-stream.ts'
import { openLog } from './log-identity.ts'
import { OwnCommits } from './own-commits.ts'
import { PostgresBus } from './postgres-bus.ts'
import { ChangeReader } from './reader.ts'
import { RedisBus } from './redis-bus.ts'
import { Retention } from './retention.ts'
import { Waiters } from './waiters.ts'

export interface FeedOptions {
  db: Database
  /** The same database on connections apart, so that the reader does not wait behind viewers. */
  gate: Database
  /** Of the same database, for the connection that listens. */
  url: string
  redisUrl?: string | undefined
  hoursKept: number
  log: Log
}

/**
 * The one road from writes to subscribers, of one instance: a commit wakes the readers of all
 * instances, the reader puts what it finds into memory, and each stream takes it from there.
 */
export class ChangeFeed implements Feed {
  readonly #reader: ChangeReader
  readonly #log: ChangeLog
  readonly #access = new AccessWatch()
  readonly #verdicts = new SharedResults<boolean>({ maxAgeMs: 1_000, maxEntries: 10_000 })
  readonly #own = new OwnCommits()
  readonly #retention: Retention
  readonly #stopping = new AbortController()
  readonly #lent: Database
  readonly #deaf: () => void
  #bus: Bus | undefined

  private constructor(options: FeedOptions, reader: ChangeReader, log: ChangeLog) {
    this.#reader = reader
    this.#log = log
    this.#lent = lend(options.db, this.#stopping.signal)
    this.#retention = new Retention(options.gate, { hours: options.hoursKept, log: options.log })
    this.#deaf = options.db.committed.listen(commit => {
      if (commit) this.#own.note(commit)
      reader.wake()
      this.#bus?.publish()
    })
  }

  static async open(options: FeedOptions): Promise<ChangeFeed> {
    const { db, gate, url, redisUrl, log } = options
    const { epoch, end } = await openLog(gate, log)
    const waiters = new Waiters()
    const reader: ChangeReader = new ChangeReader({
      db: gate,
      log,
      epoch,
      start: end,
      onChanges(changes, place) {
        feed.#access.note(changes)
        waiters.wake(changes, place)
      },
      onRead: () => feed.#own.reading(),
      onGap() {
        feed.#access.noteAll()
        waiters.wakeEverybody()
      },
    })
    const catchingUp = lend(db, new AbortController().signal)
    const feed: ChangeFeed = new ChangeFeed(options, reader, {
      db: catchingUp,
      epoch,
      ring: reader.ring,
      waiters,
    })
    const busOptions: BusOptions = { wake: () => reader.wake() }
    feed.#bus = redisUrl
      ? new RedisBus(redisUrl, epoch, log, busOptions)
      : await PostgresBus.open(url, log, busOptions)
    return feed
  }

  get position(): string {
    return this.#own.behind(this.#reader.ring.end).write(this.#log.epoch)
  }

  /** Calls when what this user may do has changed, in the order of the log: before any later change. */
  watchAccess(userId: string, onChange: () => void): () => void {
    return this.#access.watch(userId, onChange)
  }

  follow<Payload extends object>(
    context: Context,
    topic: Topic<Payload>,
    options: FollowOptions<Payload>,
  ): AsyncIterable<Change<Payload>> {
    const { epoch } = this.#log
    const { subject, lastSeq } = options
    const { after, afterSeq } = resumed(context, options)
    return new ChangeStream<Payload>({
      log: this.#log,
      interest: { topic: topic.name, subject },
      start: readPlace(after ?? context.since, epoch),
      afterSeq,
      lastSeq,
      accepts: this.#accepted(context, options),
      onPage: () => context.access.renew(),
    })
  }

  /** @throws where changes do not arrive at once, or not at all */
  async check(): Promise<void> {
    this.#reader.check()
    await this.#bus?.check()
  }

  async close(): Promise<void> {
    this.#deaf()
    this.#stopping.abort()
    this.#retention.close()
    await this.#bus?.close()
    await this.#reader.close()
  }

  #accepted<Payload extends object>(
    { access }: Context,
    { name, accepts = () => true }: FollowOptions<Payload>,
  ): (change: Change<Payload>) => boolean | Promise<boolean> {
    return sharedByClass(this.#verdicts, access, {
      name,
      keyOf: change => String(change.id),
      work: async (change, viewer) =>
        accepts(change, { viewer, db: this.#lent, loaders: new Loaders() }),
    })
  }
}

/** Where a client that takes a stream up again was: the last event it has seen outranks the argument. */
function resumed<Payload extends object>(
  { lastEventId }: Context,
  { after, afterSeq }: FollowOptions<Payload>,
): { after?: string | null | undefined; afterSeq?: number | undefined } {
  if (lastEventId === undefined) return { after, afterSeq }
  if (afterSeq === undefined) return { after: lastEventId }
  if (!/^\d{1,9}$/.test(lastEventId)) {
    throw badInput('Last-Event-ID is not the seq of an event.', 'Last-Event-ID')
  }
  return { afterSeq: Number(lastEventId) }
}
