import type { Caller } from '../core/context.ts'
import { query } from '../core/query.ts'
import { raw, sql } from '../core/sql.ts'

/** What can be large, by its table. It is read where it is selected, and else stays where it is. */
interface LargeColumns {
  process_runs: 'input_text' | 'input_payload' | 'result_payload' | 'partial_result'
  process_run_steps: 'output_payload'
  process_artifacts: 'content'
  /** As text, since their numbers can be more exact than JavaScript's. */
  llm_calls: 'request_json::text' | 'response_json::text'
}
export type LargeColumn<Table extends keyof LargeColumns> = LargeColumns[Table]

const keyTypes = {
  process_runs: 'uuid',
  process_run_steps: 'uuid',
  process_artifacts: 'uuid',
  llm_calls: 'bigint',
}

/** One such column of a row that the viewer sees: one statement for all that ask in the same tick. */
export function largeColumn<Table extends keyof LargeColumns, Value>(
  { db, loaders }: Pick<Caller, 'db' | 'loaders'>,
  table: Table,
  column: LargeColumn<Table>,
  id: string | bigint,
): Promise<Value | null> {
  const values = loaders.use<string | bigint, Value | null>(
    `large ${table} ${column}`,
    async ids => {
      const rows = await query<{ id: string | bigint; value: Value | null }>(
        db.pool,
        sql`select id, ${raw(column)} as value from ${raw(table)}
          where id = any(${ids}::${raw(keyTypes[table])}[])`,
      )
      const found = new Map(rows.map(row => [row.id, row.value]))
      return ids.map(wanted => found.get(wanted) ?? null)
    },
  )
  return values.load(id)
}
