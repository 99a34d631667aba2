import { byId } from '../core/by-id.ts'
import type { Caller } from '../core/context.ts'
import { notFound } from '../core/errors.ts'
import { uuidKey } from '../core/ids.ts'
import { raw, type Sql } from '../core/sql.ts'
import type { ProcessRun } from '../generated/prisma/client.ts'
import { runColumns, visibleRuns } from './processes.sql.ts'

/** The run with this id, or null where the viewer may not see one. */
export async function runById(caller: Caller, id: string): Promise<ProcessRun | null> {
  const key = uuidKey(id)
  return key === undefined ? null : runs(caller, 'run', visibleRuns(caller.viewer)).load(key)
}

/**
 * The run of a thing that is under its rights: who was let see that is not asked again, since what a
 * worker may see can change in between.
 */
export async function runOf(caller: Caller, id: string): Promise<ProcessRun> {
  const found = await runs(caller, 'run of a thing', raw('true')).load(id)
  if (!found) throw notFound('run')
  return found
}

const runs = (caller: Caller, name: string, visible: Sql) =>
  byId<string, ProcessRun>(caller, {
    name,
    columns: runColumns,
    from: raw('process_runs r'),
    key: raw('r.id'),
    keyType: 'uuid',
    visible,
  })
