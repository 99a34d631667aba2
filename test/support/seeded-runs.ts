import type { Database } from '../../src/core/database.ts'
import { writeGlobalId } from '../../src/core/ids.ts'
import type { Json } from '../../src/core/json.ts'
import { Loaders } from '../../src/core/loaders.ts'
import { transaction } from '../../src/core/transaction.ts'
import type { ProcessStatus, RunStatus } from '../../src/generated/prisma/client.ts'
import { appendToRun, type RunHappening } from '../../src/processes/processes.events.ts'

interface SeededRun {
  /** A login. */
  by: string
  status?: RunStatus
  /** When it was created. */
  at?: string
  /** After how many seconds it was started, and ended. */
  started?: number
  finished?: number
  chat?: string | null
  input?: Json
  result?: Json
}

/** Processes, runs and what hangs on them, put into the tables as they could have come to be. */
export class SeededRuns {
  readonly #db: Database

  constructor({ db }: { db: Database }) {
    this.#db = db
  }

  /** Answers its uuid, as all of these do. */
  process(code: string, status: ProcessStatus = 'active', name = code): Promise<string> {
    return this.#insert(
      'insert into processes (code, name, status) values ($1, $2, $3::process_status)',
      [code, name, status],
    )
  }

  chat(owner: string, title: string): Promise<string> {
    return this.#insert(
      'insert into core.chats (title, owner_id) select $2, id from core.users where login = $1',
      [owner, title],
    )
  }

  async run(process: string, run: SeededRun): Promise<string> {
    const id = await this.#insert(
      `insert into process_runs (process_id, requested_by, chat_id, input_payload, created_at)
        select $1, id, $3, $4::jsonb, coalesce($5::timestamptz, now())
        from core.users where login = $2`,
      [process, run.by, run.chat ?? null, jsonOf(run.input), run.at ?? null],
    )
    const { status = 'queued', started = 1, finished = 2 } = run
    if (status === 'queued') return id
    await this.#db.pool.query(
      `update process_runs set status = 'running', started_at = created_at + make_interval(secs => $2)
        where id = $1`,
      [id, started],
    )
    if (status === 'running') return id
    const isWaiting = status === 'waiting_user'
    await this.#db.pool.query(
      `update process_runs set status = $2::run_status, result_payload = $3::jsonb,
          finished_at = case when $4 then created_at + make_interval(secs => $5) end
        where id = $1`,
      [id, status, jsonOf(run.result), !isWaiting, finished],
    )
    return id
  }

  step(run: string, key: string, output?: Json): Promise<string> {
    return this.#insert(
      `insert into process_run_steps (run_id, attempt, step_key, status, output_payload, position)
        select $1, 1, $2, 'succeeded', $3::jsonb, count(*) from process_run_steps where run_id = $1`,
      [run, key, jsonOf(output)],
    )
  }

  artifact(run: string, content: string): Promise<string> {
    return this.#insert(
      `insert into process_artifacts (run_id, artifact_type, content) values ($1, 'text', $2)`,
      [run, content],
    )
  }

  question(run: string, prompt: string, answer?: Json): Promise<string> {
    return this.#insert(
      `insert into process_run_questions (run_id, prompt, answer, answered_at)
        values ($1, $2, $3::jsonb, case when $3 is not null then now() end)`,
      [run, prompt, jsonOf(answer)],
    )
  }

  /** Of a run, with its process; or of nothing, recorded by somebody. */
  llmCall(of: { run: string } | { by: string }, more: { request?: string; error?: string } = {}) {
    const { request = '{}', error = null } = more
    const values = `request_json, error_text, scope, model, endpoint, prompt_tokens, completion_tokens`
    return 'run' in of
      ? this.#insert(
          `insert into llm_calls (run_id, process_id, ${values})
            select id, process_id, $2::jsonb, $3, 'process', 'm', 'http://llm', 10, 5
            from process_runs where id = $1`,
          [of.run, request, error],
        )
      : this.#insert(
          `insert into llm_calls (recorded_by, ${values})
            select id, $2::jsonb, $3, 'chat', 'm', 'http://llm', 10, 5
            from core.users where login = $1`,
          [of.by, request, error],
        )
  }

  /** Writes what happened in a run, as its commands do. */
  happen(run: string, ...happenings: RunHappening[]): Promise<void> {
    return transaction({ db: this.#db, loaders: new Loaders() }, async tx => {
      await tx.$queryRaw`select from process_runs where id = ${run}::uuid for update`
      const row = await tx.processRun.findUniqueOrThrow({ where: { id: run } })
      await appendToRun(tx, row, happenings)
    })
  }

  async #insert(statement: string, values: unknown[]): Promise<string> {
    const { rows } = await this.#db.pool.query(`${statement} returning id::text`, values)
    return rows[0].id
  }
}

const jsonOf = (value: Json | undefined) => (value === undefined ? null : JSON.stringify(value))

export const globalId = {
  process: (id: string) => writeGlobalId('Process', id),
  run: (id: string) => writeGlobalId('ProcessRun', id),
  step: (id: string) => writeGlobalId('ProcessRunStep', id),
  artifact: (id: string) => writeGlobalId('ProcessArtifact', id),
  llmCall: (id: string) => writeGlobalId('LlmCall', id),
  question: (id: string) => writeGlobalId('RunQuestion', id),
  chat: (id: string) => writeGlobalId('Chat', id),
}
