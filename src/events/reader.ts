import type { Database } from '../core/database.ts'
import type { Log } from '../core/log.ts'
import type { ChangeRecord } from './change-record.ts'
import { type BatchLimits, readBatch } from './changes.sql.ts'
import { Position } from './position.ts'
import { Ring } from './ring.ts'
import type { WakePlace } from './waiters.ts'

const limits: BatchLimits = { changes: 1_000, bytes: 4 << 20 }
const ringLimits = { changes: 20_000, bytes: 32 << 20 }
const pollMs = 1_000
/** Between two reads, so that changes which come together are read together. */
const gapMs = 2
const staleMs = 5_000
const awayMs = 60_000

export interface ReaderOptions {
  db: Database
  log: Log
  epoch: string
  start: Position
  /** Called with what was read, in order, when it is in the ring. */
  onChanges(changes: readonly ChangeRecord[], place: WakePlace): void
  /** Called before each read; what it answers, when all that was there has been read. */
  onRead(): () => void
  /** Called when the reader had to leave out what was trimmed before it could be read. */
  onGap(): void
}

/** Reads the log for its whole instance: when it is woken, and once a second whatever happens. */
export class ChangeReader {
  readonly ring: Ring
  readonly #options: ReaderOptions
  readonly #poll: NodeJS.Timeout
  #isWanted = false
  #running: Promise<void> | undefined
  #isClosed = false
  #isFailing = false
  #lastRead = performance.now()

  constructor(options: ReaderOptions) {
    this.#options = options
    this.ring = new Ring(options.start, ringLimits)
    this.#poll = setInterval(() => this.wake(), pollMs)
  }

  wake(): void {
    this.#isWanted = true
    if (this.#isClosed) return
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined
      if (this.#isWanted && !this.#isFailing) this.wake()
    })
  }

  /** @throws where the log could not be read lately */
  check(): void {
    if (performance.now() - this.#lastRead > staleMs) {
      throw new Error('the change log cannot be read')
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true
    clearInterval(this.#poll)
    await this.#running
  }

  async #run(): Promise<void> {
    try {
      while (this.#isWanted && !this.#isClosed) {
        this.#isWanted = false
        while (!this.#isClosed && (await this.#readOnce()));
        await new Promise(resolve => setTimeout(resolve, gapMs))
      }
    } catch (error) {
      // The next poll tries again; the place is kept.
      if (this.#isClosed) return
      const { log } = this.#options
      if (!this.#isFailing) log.warn({ err: error }, 'the change log could not be read')
      this.#isFailing = true
    }
  }

  /** Whether there is more to read. */
  async #readOnce(): Promise<boolean> {
    const { db, epoch, onRead, onChanges, onGap } = this.#options
    const { ring } = this
    const from = ring.end
    const allIsRead = onRead()
    const batch = await readBatch(db.pool, epoch, from, limits)
    const wasAway = performance.now() - this.#lastRead > awayMs
    this.#lastRead = performance.now()
    this.#isFailing = false
    // What is trimmed was there for an hour at least.
    if (wasAway && batch.trimmed >= from.seen.xmin) {
      ring.restart(new Position(batch.snapshot))
      onGap()
      return true
    }
    const place = { number: ring.next, position: from }
    ring.push(batch.changes, batch.next)
    if (batch.changes.length > 0) onChanges(batch.changes, place)
    if (!batch.hasMore) allIsRead()
    return batch.hasMore
  }
}
