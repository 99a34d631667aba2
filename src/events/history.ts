import type { Change, Topic } from '../core/change.ts'
import type { Caller } from '../core/context.ts'
import { query } from '../core/query.ts'
import { sql } from '../core/sql.ts'

/** A change of a subject whose changes are counted. */
export interface CountedChange<Payload extends object>
  extends Pick<Change<Payload>, 'subject' | 'payload' | 'at'> {
  readonly seq: number
}

/** What one statement answers of payloads, as they are stored. */
const maxBytes = 16 << 20

/**
 * The changes of one subject behind a seq, in order, read with those of its siblings. Not those that
 * were trimmed; and where they are large, fewer than asked for, but one at least.
 */
export function historyOf<Payload extends object>(
  { db, loaders }: Pick<Caller, 'db' | 'loaders'>,
  { name }: Topic<Payload>,
  subject: string,
  { afterSeq, first }: { afterSeq: number; first: number },
): Promise<CountedChange<Payload>[]> {
  const histories = loaders.use(
    `history ${name} ${afterSeq} ${first}`,
    async (subjects: readonly string[]) => {
      const rows = await query<CountedChange<Payload>>(
        db.pool,
        sql`select own.* from unnest(${subjects}::text[]) parent(subject) cross join lateral (
          select subject, seq, payload, created_at as at
          from (
            select *, sum(bytes) over (order by seq) - bytes as before
            from (
              select subject, seq, payload, created_at, pg_column_size(payload) as bytes
              from core.changes
              where topic = ${name} and subject = parent.subject and seq > ${afterSeq}
              order by seq limit ${first}
            ) sized
          ) summed
          where before < ${Math.ceil(maxBytes / subjects.length)} order by seq
        ) own`,
      )
      const groups = new Map(subjects.map(one => [one, [] as CountedChange<Payload>[]]))
      for (const row of rows) groups.get(row.subject)?.push(row)
      return [...groups.values()]
    },
  )
  return histories.load(subject)
}
