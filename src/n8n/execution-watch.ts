import type { Viewer } from '../core/context.ts'
import type { Database } from '../core/database.ts'
import { every } from '../core/every.ts'
import type { Json } from '../core/json.ts'
import { Loaders } from '../core/loaders.ts'
import type { Log } from '../core/log.ts'
import { query } from '../core/query.ts'
import { sql } from '../core/sql.ts'
import { transaction } from '../core/transaction.ts'
import { endRun } from '../processes/end-run.ts'
import { whyDegraded } from '../processes/json-schema.ts'
import { lockRun } from '../processes/run-row.sql.ts'
import type { RunEnd } from '../processes/transitions.ts'
import { type Execution, readExecution } from './execution.ts'
import type { N8nApi } from './n8n-api.ts'
import { type ExecutedRun, executions, importSteps } from './n8n-runs.sql.ts'

export interface WatchOptions {
  db: Database
  viewer: Viewer
  n8n: N8nApi
  log: Log
  everyMs: number
}

/**
 * Looks at the executions of runs, where n8n gives a key to its API: one that has ended without a word
 * ends its run, and one whose run was cancelled is stopped. Instances may do it at once.
 */
export class ExecutionWatch {
  readonly #options: WatchOptions
  readonly #stopping = new AbortController()
  /** Of runs that were cancelled. */
  readonly #stopped = new Set<string>()
  /** Seen to have ended once: the last callback may still be on its way. */
  readonly #ended = new Set<string>()
  readonly #looking: { close(): Promise<void> } | undefined

  constructor(options: WatchOptions) {
    this.#options = options
    if (!options.n8n.hasKey) return
    const { everyMs, log } = options
    const failing = 'executions of n8n could not be looked at'
    this.#looking = every(everyMs, () => this.#look(), { log, failing })
  }

  async close(): Promise<void> {
    this.#stopping.abort()
    await this.#looking?.close()
  }

  async #look(): Promise<void> {
    const { db, viewer } = this.#options
    try {
      const found = await executions(db, viewer.userId)
      for (const run of found) {
        if (this.#stopping.signal.aborted) return
        await (run.isCancelled ? this.#stop(run) : this.#follow(run))
      }
      const ids = new Set(found.map(({ id }) => id))
      for (const seen of [this.#stopped, this.#ended]) {
        for (const id of seen) if (!ids.has(id)) seen.delete(id)
      }
    } catch (error) {
      if (!this.#stopping.signal.aborted) throw error
    }
  }

  async #stop({ id, executionId }: ExecutedRun): Promise<void> {
    if (this.#stopped.has(id)) return
    this.#stopped.add(id)
    const { n8n, log } = this.#options
    // One that has ended meanwhile cannot be stopped.
    await n8n.stop(executionId, this.#stopping.signal).catch(error => {
      log.info({ err: error, executionId }, 'an execution of n8n could not be stopped')
    })
  }

  async #follow({ id, executionId }: ExecutedRun): Promise<void> {
    const read = await this.#options.n8n.execution(executionId, this.#stopping.signal)
    const execution = read === undefined ? undefined : readExecution(read)
    if (!execution?.end) return
    if (this.#ended.has(id)) await this.#end(id, execution)
    else this.#ended.add(id)
  }

  async #end(id: string, execution: Execution): Promise<void> {
    const { db } = this.#options
    const { end, result, steps } = execution
    const reason = end === 'succeeded' ? await this.#whyDegraded(id, result) : null
    await transaction({ db, loaders: new Loaders() }, async tx => {
      const run = await lockRun(tx, sql`r.id = ${id}::uuid and r.status = 'running'`)
      if (!run?.isHeld) return
      await importSteps(tx, run, steps)
      const status: RunEnd = reason === null ? (end ?? 'failed') : 'degraded'
      await endRun(tx, run, {
        status,
        errorText: reason ?? errorTextOf(execution),
        result: end === 'succeeded' && result !== null ? JSON.stringify(result) : null,
      })
    })
  }

  async #whyDegraded(id: string, result: Json): Promise<string | null> {
    const [process] = await query<{ outputSchema: Json }>(
      this.#options.db.pool,
      sql`select p.output_schema as "outputSchema" from processes p join process_runs r on r.process_id = p.id
        where r.id = ${id}::uuid`,
    )
    return process ? whyDegraded(process.outputSchema, result) : null
  }
}

function errorTextOf({ end, errorText }: Execution): string | null {
  if (end === 'cancelled') return 'The execution was cancelled in n8n.'
  return end === 'failed' ? (errorText ?? 'The execution failed in n8n.') : null
}
