import type { Change } from '../core/change.ts'
import { badInput, DomainError } from '../core/errors.ts'
import type { ChangeLog } from './change-log.ts'
import type { ChangeRecord } from './change-record.ts'
import { type Batch, type Interest, readBatch, readCounted } from './changes.sql.ts'
import { Position } from './position.ts'

/** What a stream reads from the table at once; it waits with this for its reader, so it is little. */
const limits = { changes: 100, bytes: 256 << 10 }

export interface ChangeStreamOptions<Payload extends object> {
  log: ChangeLog
  interest: Interest
  start: Position
  /** Of one subject: begins behind the change of this seq. */
  afterSeq?: number | undefined
  /** The seq that it had come to. */
  lastSeq?: number | undefined
  accepts(change: ChangeRecord<Payload>): boolean | Promise<boolean>
  /** Called before changes that memory does not have: what it tells of rights may be older than they are. */
  onPage(): void
}

/**
 * The changes that one subscriber gets. It is a place in the log and no queue: it takes the next change
 * when it is asked for one, from memory where it keeps up and from the table where it does not. So a
 * slow reader costs nothing, and to resume is the same as to be late.
 */
export class ChangeStream<Payload extends object = object>
  implements AsyncIterableIterator<Change<Payload>>
{
  readonly #log: ChangeLog
  readonly #interest: Interest
  readonly #accepts: ChangeStreamOptions<Payload>['accepts']
  readonly #onPage: () => void
  #position: Position
  /** The number of the next change in memory; undefined where it reads from the table. */
  #number: number | undefined
  /** What was read from the table and not taken yet, with what comes behind it. */
  #page: ChangeRecord[] = []
  #behindPage: Position | undefined
  /** The last seq of a subject that is still read by its seq. */
  #seq: number | undefined
  readonly #isCounted: boolean
  readonly #lastSeq: number | undefined
  /** Whether the database is known to have come to this place. */
  #isChecked = false
  #isEnded = false
  #stopWaiting = () => {}

  constructor({
    log,
    interest,
    start,
    afterSeq,
    lastSeq,
    accepts,
    onPage,
  }: ChangeStreamOptions<Payload>) {
    this.#log = log
    this.#interest = interest
    this.#position = start
    this.#seq = afterSeq
    this.#isCounted = afterSeq !== undefined
    this.#lastSeq = lastSeq
    this.#accepts = accepts
    this.#onPage = onPage
  }

  /** By what a client says where it was. */
  idOf(change: Change): string {
    return this.#isCounted ? String(change.seq) : change.cursor
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  async next(): Promise<IteratorResult<Change<Payload>>> {
    while (!this.#isEnded) {
      // What the log has of its topic has this shape.
      const change = (this.#fromPage() ?? this.#fromMemory()) as ChangeRecord<Payload> | undefined
      if (change) {
        const verdict = this.#accepts(change)
        // Hardly ever is there anything to wait for, and many ask.
        if (verdict === true || (verdict !== false && (await verdict))) {
          return this.#isEnded ? done : { done: false, value: change }
        }
      } else if (this.#number === undefined) {
        await this.#readPage()
      } else {
        await this.#wait(this.#number)
      }
    }
    return done
  }

  async return(): Promise<IteratorResult<Change<Payload>>> {
    this.#isEnded = true
    this.#page = []
    this.#stopWaiting()
    return done
  }

  #fromPage(): ChangeRecord | undefined {
    const change = this.#page.shift()
    if (change) {
      this.#position = change.position
      if (this.#seq !== undefined) this.#seq = change.seq ?? this.#seq
    } else if (this.#behindPage) {
      this.#position = this.#behindPage
      this.#behindPage = undefined
      this.#seq = undefined
    }
    return change
  }

  #fromMemory(): ChangeRecord | undefined {
    const { ring } = this.#log
    if (this.#seq !== undefined) return undefined
    if (this.#number === undefined) {
      if (!this.#canJoin()) return undefined
      this.#number = ring.first
    } else if (this.#number < ring.first) {
      this.#number = undefined
      return undefined
    }
    for (let change = ring.at(this.#number); change; change = ring.at(this.#number)) {
      this.#number++
      // Of what is in memory, the first may have come before the place that the stream began at.
      if (!this.#isOfInterest(change) || this.#position.has(change)) continue
      const record = this.#placed(change)
      this.#position = record.position
      return record
    }
    return undefined
  }

  /** Whether memory has all that comes behind this place, which is not in the middle of a batch. */
  #canJoin(): boolean {
    const { ring } = this.#log
    const { seen, upto } = this.#position
    if (upto || !this.#position.covers(ring.start)) return false
    // One that is ahead of what is in memory may be one of a database that was put back since.
    this.#isChecked ||= seen.xmax <= ring.end.seen.xmax
    return this.#isChecked
  }

  /**
   * The change with the place that this stream has behind it. The batch in memory may have begun
   * before the place where the stream did, and then a resume from the batch's own place would bring
   * again what the stream had seen before.
   */
  #placed(change: ChangeRecord): ChangeRecord {
    const { seen } = this.#position
    const { seen: batch, upto } = change.position
    if (batch === seen || batch.covers(seen)) return change
    return change.placedAt(new Position(seen, upto, change.id))
  }

  #isOfInterest({ topic, subject }: ChangeRecord): boolean {
    const { topic: wanted, subject: one } = this.#interest
    return topic === wanted && (one === undefined || subject === one)
  }

  async #readPage(): Promise<void> {
    const { db, epoch, ring } = this.#log
    const { topic, subject } = this.#interest
    if (this.#seq !== undefined && subject !== undefined) {
      const batch = await readCounted(db.pool, epoch, { topic, subject }, this.#seq, limits)
      const isNextThere = batch.changes[0]
        ? batch.changes[0].seq === this.#seq + 1
        : this.#lastSeq === undefined || this.#seq === this.#lastSeq
      if (!isNextThere) throw trimmed()
      this.#isChecked = true
      this.#take(batch, batch.hasMore ? undefined : batch.next)
      return
    }
    const from = this.#position
    // What the reader has read is committed: so this place can come up with it.
    const known = () => ring.end.last
    const batch = await readBatch(db.pool, epoch, from, limits, { interest: this.#interest, known })
    if (batch.trimmed >= from.seen.xmin) throw trimmed()
    // A place that is ahead of the database is one in a database that has been put back.
    if (from.last >= batch.snapshot.xmax) throw trimmed()
    this.#isChecked = true
    this.#take(batch, batch.next)
  }

  #take({ changes }: Batch, behind: Position | undefined): void {
    if (this.#isEnded) return
    if (changes.length > 0) this.#onPage()
    this.#page = [...changes]
    this.#behindPage = behind
  }

  #wait(number: number): Promise<void> {
    return new Promise(resolve => {
      const stop = this.#log.waiters.add(this.#interest, place => {
        // All that came between was of no interest.
        this.#number = place && Math.max(number, place.number)
        if (place?.position.covers(this.#position)) this.#position = place.position
        resolve()
      })
      this.#stopWaiting = () => {
        stop()
        resolve()
      }
    })
  }
}

const done: IteratorResult<never> = { done: true, value: undefined }

const trimmed = () =>
  new DomainError(
    'LIMIT_EXCEEDED',
    'The changes behind this place are no longer kept: read anew, and subscribe from there.',
    'after',
    { resync: true },
  )

/** @throws BAD_USER_INPUT, and LIMIT_EXCEEDED with `resync` for a place in another log */
export function readPlace(cursor: string, epoch: string): Position {
  const position = Position.read(cursor, epoch)
  if (position === 'foreign') throw trimmed()
  if (!position) throw badInput('after is not a cursor of a feed.', 'after')
  return position
}
