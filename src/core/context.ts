import type { Change, Topic } from './change.ts'
import type { Database } from './database.ts'
import { unauthenticated } from './errors.ts'
import type { Loaders } from './loaders.ts'
import type { Log } from './log.ts'

/** A user is a person, an agent an LLM that acts for one, a worker executes runs. */
export type ViewerKind = 'USER' | 'AGENT' | 'WORKER' | 'ADMIN'

/** Who asks. Everything that decides about rights is here, so that rules need nothing else. */
export interface Viewer {
  readonly kind: ViewerKind
  readonly userId: string
  readonly login: string
  /** Keys of the groups that the user is a member of. */
  readonly groups: readonly string[]
  /** The LLM that an agent is; null for everybody else. */
  readonly llmId: string | null
  /** The API token that was shown; null for a JWT. */
  readonly tokenId: string | null
  readonly expiresAt: Date | null
}

/** Viewers who see the same of everything: of what one was shown, the others may be shown a copy. */
export function permissionClass({ kind, userId, llmId, groups }: Viewer): string {
  return kind === 'ADMIN' ? kind : JSON.stringify([kind, userId, llmId, groups])
}

/** Who asks, for as long as an operation lasts: read anew where rights have changed meanwhile. */
export interface Access {
  /**
   * A promise while it is read anew.
   * @throws UNAUTHENTICATED where the token does not hold any more
   */
  current(): Viewer | null | Promise<Viewer | null>
  /** Reads it anew now: for what is read past the log's own order. */
  renew(): void
}

/** What a room's commands and reads work with: who asks, and of which database. */
export interface Caller {
  readonly viewer: Viewer
  readonly db: Database
  readonly loaders: Loaders
}

/** What one operation carries through its resolvers. */
export interface Context {
  readonly requestId: string
  readonly log: Log
  readonly db: Database
  readonly viewer: Viewer | null
  readonly loaders: Loaders
  readonly feed: Feed
  /** The place in the feed where the operation began: what it reads has all that came before. */
  readonly since: string
  readonly access: Access
  /** The last event that a client has seen of a stream which it takes up again. */
  readonly lastEventId?: string | undefined
}

/** @throws UNAUTHENTICATED when nobody has signed in */
export function callerOf(context: Context): Caller {
  const { viewer, db, loaders } = context
  if (viewer === null) throw unauthenticated()
  return { viewer, db, loaders }
}

/** The changes of the whole database, as this instance follows them; `events/feed.ts` makes it. */
export interface Feed {
  /** A cursor right behind everything that this instance has read. */
  readonly position: string
  follow<Payload extends object>(
    context: Context,
    topic: Topic<Payload>,
    options: FollowOptions<Payload>,
  ): AsyncIterable<Change<Payload>>
}

export interface FollowOptions<Payload extends object> {
  /** Names what `accepts` depends on besides the viewer and the change: those alike share its verdict. */
  name: string
  /** One subject alone, instead of all. */
  subject?: string
  /** A cursor: the stream begins right behind it. Without it, where the operation began. */
  after?: string | null | undefined
  /** Of one subject whose changes are counted: the stream begins behind the change of this seq. */
  afterSeq?: number
  /** The seq that the subject had come to, so that it shows when those behind `afterSeq` are gone. */
  lastSeq?: number
  /** Whether a change belongs into the stream and the viewer may see it, asked anew for each. */
  accepts?(change: Change<Payload>, caller: Caller): boolean | Promise<boolean>
}
