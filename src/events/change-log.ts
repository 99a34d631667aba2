import type { Database } from '../core/database.ts'
import type { Ring } from './ring.ts'
import type { Waiters } from './waiters.ts'

/** The log as the streams of one instance read it. */
export interface ChangeLog {
  readonly db: Pick<Database, 'pool'>
  /** Which log it is, as cursors say it. */
  readonly epoch: string
  readonly ring: Ring
  readonly waiters: Waiters
}
