import { type Queryable, query } from '../core/query.ts'
import { and, raw, type Sql, sql } from '../core/sql.ts'
import { ChangeRecord, type ChangeRow } from './change-record.ts'
import { Position } from './position.ts'
import { Snapshot } from './snapshot.ts'

export interface Batch {
  readonly changes: readonly ChangeRecord[]
  /** Where the reader stands behind them. */
  readonly next: Position
  /** What the statement itself saw. */
  readonly snapshot: Snapshot
  /** Whether there was more than fits into a batch. */
  readonly hasMore: boolean
  /** No transaction after this one has lost a change to the trimming. */
  readonly trimmed: bigint
}

/** What of the log is read: everything, or what somebody follows. */
export interface Interest {
  topic: string
  subject?: string | undefined
}

export interface BatchLimits {
  changes: number
  bytes: number
}

type BatchRow = Partial<ChangeRow> & {
  snapshot: string
  trimmed: string
  candidates: bigint
  last: string | null
}

/**
 * unseen: the changes behind a position in the order of their ids, and with the same snapshot the next
 * position. Of many, the first; so the next position is in the middle of what this statement saw.
 * @param known a transaction that is committed: the next position need not lie before it
 */
export async function readBatch(
  on: Queryable,
  epoch: string,
  from: Position,
  limits: BatchLimits,
  { interest, known = () => 0n }: { interest?: Interest; known?: () => bigint } = {},
): Promise<Batch> {
  const some = sql`id in (
    select id from (${unseen(from, interest)}) unseen order by id limit ${limits.changes + 1})`
  const read = await readSome(on, some, raw('id'), limits, ifMore(limits))
  const { rows, snapshot, hasMore, trimmed } = read
  // In the middle of a batch it is first read to its end.
  const upto =
    from.upto ?? snapshot.upTo(latest([from.last, known(), read.last, ...rows.map(xactOf)]))
  const changes = rows.map(row =>
    ChangeRecord.of(row, new Position(from.seen, upto, row.id), epoch),
  )
  const last = changes.at(-1)
  const next = hasMore && last ? last.position : new Position(upto)
  return { changes, next, snapshot, hasMore: hasMore || from.upto !== undefined, trimmed }
}

/** counted: the changes of one subject behind a seq, and a position behind them all. */
export async function readCounted(
  on: Queryable,
  epoch: string,
  { topic, subject }: Required<Interest>,
  afterSeq: number,
  limits: BatchLimits,
): Promise<Batch> {
  const some = sql`id in (
    select id from core.changes where topic = ${topic} and subject = ${subject} and seq > ${afterSeq}
    order by seq limit ${limits.changes + 1})`
  const read = await readSome(on, some, raw('seq'), limits, raw('true'))
  const { rows, snapshot, hasMore, trimmed } = read
  const next = new Position(snapshot.upTo(read.last))
  const changes = rows.map(row => ChangeRecord.of(row, next, epoch))
  return { changes, next, snapshot, hasMore, trimmed }
}

/**
 * Of some changes the first that fit, one at least, in one statement with what it saw.
 * @param asksLast when to look for the last transaction whose changes are visible, which may be behind
 *   many that are not
 */
async function readSome(on: Queryable, some: Sql, order: Sql, limits: BatchLimits, asksLast: Sql) {
  const rows = await query<BatchRow>(
    on,
    sql`select log.snapshot, log.trimmed, c.*, case when ${asksLast} then (${lastVisible})::text end as last from (
        select pg_current_snapshot()::text as snapshot, trimmed::text from core.change_log) log
      left join (
        select id, xact::text, topic, subject, seq, payload, created_at as "createdAt", bytes, candidates,
          count(*) over () as fitting
        from (
          select *, sum(bytes) over (order by ${order}) - bytes as before, count(*) over () as candidates
          from (select *, pg_column_size(payload) as bytes from core.changes where ${some}) sized
        ) summed
        where before < ${limits.bytes} order by ${order} limit ${limits.changes}
      ) c on true order by c.${order}`,
  )
  const [first] = rows
  const snapshot = Snapshot.read(first?.snapshot ?? '')
  if (!first || !snapshot) throw new Error('core.change_log has lost its row')
  const changes = rows.filter((row): row is BatchRow & ChangeRow => row.id != null)
  const hasMore = Number(first.candidates ?? 0) > changes.length
  const last = BigInt(first.last ?? 0)
  return { rows: changes, snapshot, hasMore, trimmed: BigInt(first.trimmed), last }
}

const ifMore = ({ changes }: BatchLimits) => sql`candidates > least(fitting, ${changes})`

/** last: the latest transaction whose changes can be seen, or could be before they were trimmed. */
export const lastVisible = sql`select greatest(trimmed, (
    select xact from core.changes order by xact desc limit 1)) from core.change_log`

const xactOf = ({ xact }: ChangeRow) => BigInt(xact)

function latest(xacts: readonly bigint[]): bigint {
  let last = 0n
  for (const xact of xacts) if (xact > last) last = xact
  return last
}

/**
 * Said by the transactions themselves, not by what is visible, so that each part is a range of the index.
 * In the middle of a batch it goes on through the ids, or each part of many would look at all the rest.
 */
function unseen({ seen, upto, id }: Position, interest?: Interest): Sql {
  const conditions: Sql[] = []
  if (interest) conditions.push(sql`topic = ${interest.topic}`)
  if (interest?.subject !== undefined) conditions.push(sql`subject = ${interest.subject}`)
  const where = and(conditions)
  const later = sql`xact >= ${String(seen.xmax)}::xid8`
  const running = sql`xact = any(${textsOf(seen)}::xid8[])`
  if (upto) {
    return sql`select id from core.changes where id > ${id} and (${later} or ${running})
      and xact < ${String(upto.xmax)}::xid8 and not xact = any(${textsOf(upto)}::xid8[]) and ${where}`
  }
  return sql`select id from core.changes where ${later} and ${where}
    union all
    select id from core.changes where ${running} and ${where}`
}

const textsOf = ({ inProgress }: Snapshot) => [...inProgress].map(String)
