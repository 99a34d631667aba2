import type { Viewer } from '../core/context.ts'
import { raw, type Sql, sql } from '../core/sql.ts'
import { visibleRunsOf } from './permissions.ts'
import { ofVisibleRuns, visibleRuns } from './processes.sql.ts'

interface Wanted {
  /** Of calls of alias `lc`. */
  calls: Sql
  /** Of their runs, of alias `r`: what follows for those from the other, and makes them fewer. */
  runs: Sql
}

/**
 * seenCalls: a query of the calls that the viewer may see. Who may not see everything may see hardly
 * anything, so that the calls are found by the runs, and not by a look at all calls that there are.
 */
export const seenCalls = (viewer: Viewer, { calls, runs }: Wanted): Sql =>
  visibleRunsOf(viewer) === 'all'
    ? sql`select lc.* from llm_calls lc where ${calls}`
    : sql`select lc.* from process_runs r join llm_calls lc on lc.run_id = r.id
        where ${visibleRuns(viewer)} and ${runs} and ${calls}
      union all
      select lc.* from llm_calls lc where lc.recorded_by = ${viewer.userId}::uuid and ${calls}
        and not ${ofVisibleRuns(viewer, raw('lc.run_id'))}`
