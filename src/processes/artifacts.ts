import { byId } from '../core/by-id.ts'
import { type Connection, childPage } from '../core/connection.ts'
import type { Caller } from '../core/context.ts'
import { notFound } from '../core/errors.ts'
import { uuidKey } from '../core/ids.ts'
import type { Order, PageArgs } from '../core/paging.ts'
import { raw, type Sql, sql } from '../core/sql.ts'
import type { ProcessArtifact } from '../generated/prisma/client.ts'
import { artifactColumns, ofVisibleRuns } from './processes.sql.ts'

const oldestFirst: Order = {
  name: 'artifact',
  columns: [
    { expression: raw('a.created_at'), type: 'timestamptz' },
    { expression: raw('a.id'), type: 'uuid' },
  ],
}

/** The artifact with this id, or null where the viewer may not see its run. */
export async function artifactById(caller: Caller, id: string): Promise<ProcessArtifact | null> {
  const key = uuidKey(id)
  if (key === undefined) return null
  return artifacts(caller, 'artifact', ofVisibleRuns(caller.viewer, raw('a.run_id'))).load(key)
}

/** The artifact of an event that the viewer sees. */
export async function artifactOf(caller: Caller, id: string): Promise<ProcessArtifact> {
  const found = await artifacts(caller, 'artifact of an event', raw('true')).load(id)
  if (!found) throw notFound('artifact')
  return found
}

const artifacts = (caller: Caller, name: string, visible: Sql) =>
  byId<string, ProcessArtifact>(caller, {
    name,
    columns: artifactColumns,
    from: raw('process_artifacts a'),
    key: raw('a.id'),
    keyType: 'uuid',
    visible,
  })

/** What a run that the viewer sees has made. */
export const artifactsOf = (
  caller: Caller,
  runId: string,
  args: PageArgs,
): Promise<Connection<ProcessArtifact>> =>
  childPage(
    caller,
    runId,
    {
      name: 'artifacts of a run',
      parentType: 'uuid',
      columns: artifactColumns,
      from: raw('process_artifacts a'),
      where: sql`a.run_id = parent.id`,
    },
    oldestFirst,
    args,
  )
