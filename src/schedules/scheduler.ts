import type { Database } from '../core/database.ts'
import { every } from '../core/every.ts'
import { Loaders } from '../core/loaders.ts'
import type { Log } from '../core/log.ts'
import { query } from '../core/query.ts'
import { sql } from '../core/sql.ts'
import type { Process } from '../generated/prisma/client.ts'
import { processColumns } from '../processes/processes.sql.ts'
import { activeSchedule, nextTime } from '../processes/schedule.ts'
import { startScheduled } from '../processes/start-scheduled.ts'

const everyMs = 1_000
/** What was missed for longer is not made up. */
const maxLateMs = 60_000

/**
 * Starts runs of processes by their schedules. Every instance has one; each time of a schedule is started
 * by one of them.
 */
export class Scheduler {
  readonly #db: Database
  readonly #ticking: { close(): Promise<void> }
  /** All times up to this one have been seen to. */
  #seen = new Date()

  constructor({ db, log }: { db: Database; log: Log }) {
    this.#db = db
    this.#ticking = every(everyMs, () => this.#tick(), {
      log,
      failing: 'schedules could not be kept',
    })
  }

  close(): Promise<void> {
    return this.#ticking.close()
  }

  async #tick(): Promise<void> {
    const now = new Date()
    const after = new Date(Math.max(this.#seen.getTime(), now.getTime() - maxLateMs))
    for (const process of await this.#scheduled()) await this.#start(process, after, now)
    this.#seen = now
  }

  #scheduled(): Promise<Process[]> {
    return query<Process>(
      this.#db.pool,
      sql`select ${processColumns} from processes p where p.auto_run and p.status = 'active' order by p.id`,
    )
  }

  async #start(process: Process, after: Date, now: Date): Promise<void> {
    const schedule = activeSchedule(process)
    if (!schedule) return
    for (let at = nextTime(schedule, after); at && at <= now; at = nextTime(schedule, at)) {
      await startScheduled({ db: this.#db, loaders: new Loaders() }, process.id, at)
    }
  }
}
