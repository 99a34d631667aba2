import { byId } from '../core/by-id.ts'
import type { Caller } from '../core/context.ts'
import { notFound } from '../core/errors.ts'
import { uuidKey } from '../core/ids.ts'
import { query } from '../core/query.ts'
import { raw, type Sql, sql } from '../core/sql.ts'
import type { ProcessRunStep } from '../generated/prisma/client.ts'
import { ofVisibleRuns, stepColumns } from './processes.sql.ts'

/** The step with this id, or null where the viewer may not see its run. */
export async function stepById(caller: Caller, id: string): Promise<ProcessRunStep | null> {
  const key = uuidKey(id)
  if (key === undefined) return null
  return steps(caller, 'step', ofVisibleRuns(caller.viewer, raw('s.run_id'))).load(key)
}

/** The step of an event that the viewer sees. */
export async function stepOf(caller: Caller, id: string): Promise<ProcessRunStep> {
  const found = await steps(caller, 'step of an event', raw('true')).load(id)
  if (!found) throw notFound('step')
  return found
}

const steps = (caller: Caller, name: string, visible: Sql) =>
  byId<string, ProcessRunStep>(caller, {
    name,
    columns: stepColumns,
    from: raw('process_run_steps s'),
    key: raw('s.id'),
    keyType: 'uuid',
    visible,
  })

/** The steps of a run that the viewer sees, of all its attempts, in their order. */
export function stepsOf({ db, loaders }: Caller, runId: string): Promise<ProcessRunStep[]> {
  const ofRuns = loaders.use('steps of a run', async (ids: readonly string[]) => {
    const rows = await query<ProcessRunStep>(
      db.pool,
      sql`select ${stepColumns} from process_run_steps s
        where s.run_id = any(${ids}::uuid[]) order by s.position, s.id`,
    )
    const groups = new Map(ids.map(id => [id, [] as ProcessRunStep[]]))
    for (const row of rows) groups.get(row.runId)?.push(row)
    return [...groups.values()]
  })
  return ofRuns.load(runId)
}
