import type { Topic } from '../core/change.ts'
import { query, type Tx } from '../core/query.ts'
import { sql } from '../core/sql.ts'
import { noteChanges } from '../core/transaction.ts'

/** What a write reports. */
export interface NewChange<Payload extends object> {
  /** What it is about, by the key that those who follow it alone know. */
  subject: string
  /** Assigned under the lock of the subject, from 1 without gaps; left out where nobody counts. */
  seq?: number
  payload: Payload
}

/**
 * Writes changes in the transaction of what they report, in their order; those who follow hear of them
 * after its commit. Hold the lock of a subject first, so that its changes have the order of its writes.
 */
export async function append<Payload extends object>(
  tx: Tx,
  { name }: Topic<Payload>,
  changes: readonly NewChange<NoInfer<Payload>>[],
): Promise<void> {
  if (changes.length === 0) return
  noteChanges(tx)
  await query(
    tx,
    sql`insert into core.changes (topic, subject, seq, payload)
      select ${name}::text, subject, seq, payload::jsonb
      from unnest(${changes.map(each => each.subject)}::text[], ${changes.map(each => each.seq ?? null)}::int[],
        ${changes.map(each => JSON.stringify(each.payload))}::text[]) with ordinality
        as wanted(subject, seq, payload, place)
      order by place`,
  )
}
