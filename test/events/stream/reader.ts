import type pg from 'pg'
import type { ChangeLog } from '../../../src/events/change-log.ts'
import { readBatch } from '../../../src/events/changes.sql.ts'
import type { Position } from '../../../src/events/position.ts'
import { Ring } from '../../../src/events/ring.ts'
import { Waiters } from '../../../src/events/waiters.ts'

/** A place in the log, and the ids of what has come before it. */
export interface KnownPlace {
  position: Position
  before: ReadonlySet<bigint>
}

/** Reads the log of one instance when it is told to, a few changes at once, and remembers few. */
export class Reader {
  readonly log: ChangeLog
  readonly #batch: number
  readonly #read = new Set<bigint>()

  constructor(
    db: { pool: pg.Pool },
    epoch: string,
    { start, batch, kept }: { start: Position; batch: number; kept: number },
  ) {
    const ring = new Ring(start, { changes: kept, bytes: 1 << 20 })
    this.log = { db, epoch, ring, waiters: new Waiters() }
    this.#batch = batch
  }

  get place(): KnownPlace {
    return { position: this.log.ring.end, before: new Set(this.#read) }
  }

  /** Answers whether there is more to read. */
  async look(): Promise<boolean> {
    const { db, epoch, ring, waiters } = this.log
    const position = ring.end
    const limits = { changes: this.#batch, bytes: 1 << 20 }
    const { changes, next, hasMore } = await readBatch(db.pool, epoch, position, limits)
    const place = { number: ring.next, position }
    ring.push(changes, next)
    for (const { id } of changes) this.#read.add(id)
    if (changes.length > 0) waiters.wake(changes, place)
    return hasMore
  }

  async lookAtAll(): Promise<void> {
    while (await this.look());
  }
}
