import { type Connection, childPage, listPage } from '../core/connection.ts'
import type { Caller } from '../core/context.ts'
import type { Order, PageArgs, SortColumn } from '../core/paging.ts'
import { raw, sql } from '../core/sql.ts'
import type { ProcessRun } from '../generated/prisma/client.ts'
import { runColumns, visibleRuns } from './processes.sql.ts'
import { type RunFilter, runsThatMeet } from './run-filter.ts'

export interface RunSort {
  field: 'created' | 'finished'
  descending: boolean
}

const newestFirst: RunSort = { field: 'created', descending: true }

const sortColumns: Record<RunSort['field'], SortColumn> = {
  created: { expression: raw('r.created_at'), type: 'timestamptz' },
  // What has not ended will end after all that has. A cursor has no null.
  finished: {
    expression: raw(`coalesce(r.finished_at, timestamptz '9999-12-31 00:00:00+00')`),
    type: 'timestamptz',
  },
}

const orderOf = ({ field, descending }: RunSort): Order => ({
  name: `run ${field} ${descending}`,
  columns: [
    { ...sortColumns[field], descending },
    { expression: raw('r.id'), type: 'uuid', descending },
  ],
})

/** The runs that the viewer may see and that meet the filter. */
export async function listRuns(
  caller: Caller,
  filter: RunFilter,
  sort: RunSort | undefined,
  args: PageArgs,
): Promise<Connection<ProcessRun>> {
  const condition = await runsThatMeet(caller, filter)
  return listPage(
    caller,
    {
      columns: runColumns,
      from: raw('process_runs r'),
      where: sql`${visibleRuns(caller.viewer)} and ${condition}`,
    },
    orderOf(sort ?? newestFirst),
    args,
  )
}

/** Those of a process or a chat that the viewer sees, the newest first. */
export async function runsUnder(
  caller: Caller,
  parent: { column: 'process_id' | 'chat_id'; id: string },
  filter: RunFilter,
  args: PageArgs,
): Promise<Connection<ProcessRun>> {
  const condition = await runsThatMeet(caller, filter)
  return childPage(
    caller,
    parent.id,
    {
      name: `runs by ${parent.column} ${JSON.stringify(filter)}`,
      parentType: 'uuid',
      columns: runColumns,
      from: raw('process_runs r'),
      where: sql`r.${raw(parent.column)} = parent.id and ${visibleRuns(caller.viewer)} and ${condition}`,
    },
    orderOf(newestFirst),
    args,
  )
}
