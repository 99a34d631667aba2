import type { Caller } from '../core/context.ts'
import { badInput, conflict, forbidden, illegalTransition, notFound } from '../core/errors.ts'
import { checkJson, type Json } from '../core/json.ts'
import { query } from '../core/query.ts'
import { raw, sql } from '../core/sql.ts'
import { checkText } from '../core/text.ts'
import { transaction } from '../core/transaction.ts'
import type { ProcessRun, RunQuestion } from '../generated/prisma/client.ts'
import { deadline } from './deadline.sql.ts'
import { checkSchema, violation } from './json-schema.ts'
import { heldProcess, withLease } from './lease.ts'
import { canRequestRuns } from './permissions.ts'
import { appendToRun } from './processes.events.ts'
import { lastQuestionOf } from './questions.ts'
import { changeRun, lockRun } from './run-row.sql.ts'
import { runById } from './runs.ts'

const maxPromptLength = 10_000

const metadataOfProcess = raw('(select p.metadata from processes p where p.id = r.process_id)')

export interface AskUser {
  lease: string
  prompt: string
  schema?: Json | undefined
}

/**
 * Asks the user and gives the run up until the answer, in one step.
 * @throws FORBIDDEN, LEASE_LOST, BAD_USER_INPUT, and ILLEGAL_TRANSITION where the run has ended
 */
export async function askUser(caller: Caller, input: AskUser): Promise<ProcessRun> {
  const prompt = checkText(input.prompt, 'prompt', maxPromptLength)
  if (prompt.trim() === '') throw badInput('A question cannot be empty.', 'prompt')
  const schema = input.schema ?? null
  if (schema !== null) {
    checkJson(schema, 'schema')
    if (await heldProcess(caller, input.lease)) await checkSchema(schema, 'schema')
  }
  return withLease(caller, input.lease, async (tx, run) => {
    const [question] = await query<Pick<RunQuestion, 'id'>>(
      tx,
      sql`insert into process_run_questions (run_id, prompt, schema, asked_at)
        values (${run.id}::uuid, ${prompt}, ${schema === null ? null : JSON.stringify(schema)}::jsonb,
          clock_timestamp())
        returning id`,
    )
    if (!question) throw new Error('a question was not inserted')
    const waiting = await changeRun(
      tx,
      run.id,
      sql`status = 'waiting_user', lease_hash = null, lease_expires_at = null,
        deadline_at = ${deadline('waitSeconds', metadataOfProcess)}`,
    )
    return appendToRun(tx, waiting, [
      { type: 'status', from: 'running', to: 'waiting_user', errorText: null },
      { type: 'asked', questionId: question.id },
    ])
  })
}

export interface AnswerRun {
  id: string
  questionId: string
  answer: Json
}

/**
 * Answers the question that the run waits for; a worker then claims the run again.
 * @throws FORBIDDEN, NOT_FOUND, ILLEGAL_TRANSITION where the run does not wait, CONFLICT where it waits for
 * the answer to another question, and BAD_USER_INPUT where the answer does not meet the schema
 */
export async function answerRun(caller: Caller, input: AnswerRun): Promise<ProcessRun> {
  if (!canRequestRuns(caller.viewer)) throw forbidden('A worker asks, it does not answer.')
  const found = await runById(caller, input.id)
  if (!found) throw notFound('run', 'id')
  const answer = checkJson(input.answer, 'answer')
  const open = await lastQuestionOf(caller, found.id)
  // Checked before the run is locked, against the question that it is checked to be the same then.
  const wrong =
    open?.id === input.questionId && open.schema !== null
      ? await violation(open.schema as Json, answer)
      : null
  return transaction(caller, async tx => {
    const run = await lockRun(tx, sql`r.id = ${found.id}::uuid`)
    if (!run) throw notFound('run', 'id')
    if (run.status !== 'waiting_user') {
      throw illegalTransition(`The run does not wait for an answer: it is ${run.status}.`)
    }
    const [asked] = await query<Pick<RunQuestion, 'id'>>(
      tx,
      sql`select id from process_run_questions where run_id = ${run.id}::uuid and answered_at is null`,
    )
    if (asked?.id !== input.questionId || open?.id !== asked.id) {
      throw conflict('The run waits for the answer to another question.', 'questionId')
    }
    if (wrong !== null) {
      throw badInput(`The answer does not meet the question's schema: ${wrong}.`, 'answer')
    }
    await query(
      tx,
      sql`update process_run_questions set answered_at = clock_timestamp(), answer = ${JSON.stringify(answer)}::jsonb
        where id = ${asked.id}::uuid`,
    )
    await appendToRun(tx, run, [{ type: 'answered', questionId: asked.id }])
    const answered = await changeRun(
      tx,
      run.id,
      sql`status = 'running', deadline_at = ${deadline('runSeconds', metadataOfProcess)}`,
    )
    return appendToRun(tx, answered, [
      { type: 'status', from: 'waiting_user', to: 'running', errorText: null },
    ])
  })
}
