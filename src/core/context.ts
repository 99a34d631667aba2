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
}

/** @throws UNAUTHENTICATED when nobody has signed in */
export function callerOf(context: Context): Caller {
  const { viewer, db, loaders } = context
  if (viewer === null) throw unauthenticated()
  return { viewer, db, loaders }
}
