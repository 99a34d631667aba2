import { byId } from '../core/by-id.ts'
import type { Caller } from '../core/context.ts'
import { notFound } from '../core/errors.ts'
import { query } from '../core/query.ts'
import { raw, sql } from '../core/sql.ts'
import type { RunQuestion } from '../generated/prisma/client.ts'
import { questionColumns } from './processes.sql.ts'

/** The question of an event that the viewer sees. */
export async function questionOf(caller: Caller, id: string): Promise<RunQuestion> {
  const found = await byId<string, RunQuestion>(caller, {
    name: 'question of an event',
    columns: questionColumns,
    from: raw('process_run_questions q'),
    key: raw('q.id'),
    keyType: 'uuid',
    visible: raw('true'),
  }).load(id)
  if (!found) throw notFound('question')
  return found
}

/** The last question of a run that the viewer sees: the one it waits for, or whose answer it has. */
export function lastQuestionOf(
  { db, loaders }: Caller,
  runId: string,
): Promise<RunQuestion | null> {
  const ofRuns = loaders.use('last question of a run', async (ids: readonly string[]) => {
    const rows = await query<RunQuestion>(
      db.pool,
      sql`select distinct on (q.run_id) ${questionColumns} from process_run_questions q
        where q.run_id = any(${ids}::uuid[])
        order by q.run_id, q.answered_at is null desc, q.asked_at desc, q.id desc`,
    )
    const found = new Map(rows.map(row => [row.runId, row]))
    return ids.map(id => found.get(id) ?? null)
  })
  return ofRuns.load(runId)
}
