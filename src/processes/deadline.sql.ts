import { raw, type Sql, sql } from '../core/sql.ts'
import { defaultLimits, type TimeLimit } from './limits.ts'

/** When a run that comes into a status now will have been in it for too long; `metadata` of its process. */
export const deadline = (limit: TimeLimit, metadata: Sql = raw('p.metadata')): Sql =>
  sql`clock_timestamp() + make_interval(secs => coalesce(
    (${metadata} -> 'limits' ->> ${limit}::text)::int, ${defaultLimits[limit]}::int))`
