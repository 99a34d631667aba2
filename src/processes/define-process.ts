import type { Caller } from '../core/context.ts'
import { violatedConstraint } from '../core/database-errors.ts'
import { badInput, conflict, forbidden, notFound } from '../core/errors.ts'
import { checkJson, isObject, type Json } from '../core/json.ts'
import { normalizeName } from '../core/names.ts'
import { query } from '../core/query.ts'
import { join, raw, type Sql, sql } from '../core/sql.ts'
import { checkText } from '../core/text.ts'
import { transaction } from '../core/transaction.ts'
import type { Process, ProcessStatus } from '../generated/prisma/client.ts'
import { checkSchema } from './json-schema.ts'
import { checkLimits } from './limits.ts'
import { canDefineProcesses } from './permissions.ts'
import { processById } from './process-list.ts'
import { processColumns } from './processes.sql.ts'
import { checkSchedule } from './schedule.ts'

const maxTextLength = 500_000
const maxShortLength = 500

export interface ProcessInput {
  code?: string | null | undefined
  name?: string | null | undefined
  description?: string | null | undefined
  promptTemplate?: string | null | undefined
  defaultModel?: string | null | undefined
  n8nWorkflowId?: string | null | undefined
  n8nWebhookPath?: string | null | undefined
  outputSchema?: Json | undefined
  autoRun?: boolean | null | undefined
  status?: ProcessStatus | null | undefined
  metadata?: Json | undefined
}

/** @throws FORBIDDEN, BAD_USER_INPUT, CONFLICT where the code is taken */
export async function createProcess(caller: Caller, input: ProcessInput): Promise<Process> {
  requireDefiner(caller)
  const columns = await readColumns({ ...input, code: input.code ?? '', name: input.name ?? '' })
  const names = join(
    columns.map(([name]) => raw(name)),
    ', ',
  )
  const values = join(
    columns.map(([, value]) => value),
    ', ',
  )
  return write(
    caller,
    sql`insert into processes as p (${names}) values (${values}) returning ${processColumns}`,
    input,
  )
}

/**
 * What is left out stays as it is; null removes what can be absent.
 * @throws FORBIDDEN, NOT_FOUND, BAD_USER_INPUT, CONFLICT where the code is taken
 */
export async function updateProcess(
  caller: Caller,
  id: string,
  input: ProcessInput,
): Promise<Process> {
  requireDefiner(caller)
  const found = await processById(caller, id)
  if (!found) throw notFound('process', 'id')
  const columns = await readColumns(input)
  if (columns.length === 0) return found
  const changes = join(
    columns.map(([name, value]) => sql`${raw(name)} = ${value}`),
    ', ',
  )
  return write(
    caller,
    sql`update processes p set ${changes} where p.id = ${found.id}::uuid returning ${processColumns}`,
    input,
  )
}

function requireDefiner({ viewer }: Caller): void {
  if (!canDefineProcesses(viewer)) throw forbidden('Processes are defined by administrators.')
}

async function write(
  caller: Caller,
  statement: Sql,
  { metadata }: Partial<ProcessInput>,
): Promise<Process> {
  const isGiven = metadata !== undefined
  try {
    return await transaction(caller, async tx => {
      const [process] = await query<Process>(tx, statement)
      if (!process) throw notFound('process', 'id')
      checkSchedule(process, isGiven)
      return process
    })
  } catch (error) {
    if (violatedConstraint(error) !== 'processes_code_key') throw error
    throw conflict('There is a process with this code.', 'input.code')
  }
}

type Column = [name: string, value: Sql]

/** The columns that are given, with their checked values. */
async function readColumns(input: ProcessInput): Promise<Column[]> {
  const { code, name, outputSchema, autoRun, status, metadata } = input
  const columns: Column[] = []
  if (code !== undefined) columns.push(['code', sql`${readName(code, 'input.code')}`])
  if (name !== undefined) columns.push(['name', sql`${readName(name, 'input.name')}`])
  for (const [field, column, maxLength] of texts) {
    const text = input[field]
    if (text === undefined) continue
    const read = text === null || text === '' ? null : checkText(text, `input.${field}`, maxLength)
    columns.push([column, sql`${read}`])
  }
  if (outputSchema !== undefined) {
    columns.push(['output_schema', sql`${await readSchema(outputSchema)}::jsonb`])
  }
  if (autoRun != null) columns.push(['auto_run', sql`${autoRun}`])
  if (status != null) columns.push(['status', sql`${status}::process_status`])
  if (metadata !== undefined) columns.push(['metadata', sql`${readMetadata(metadata)}::jsonb`])
  return columns
}

const texts = [
  ['description', 'description', maxTextLength],
  ['promptTemplate', 'prompt_template', maxTextLength],
  ['defaultModel', 'default_model', maxShortLength],
  ['n8nWorkflowId', 'n8n_workflow_id', maxShortLength],
  ['n8nWebhookPath', 'n8n_webhook_path', maxShortLength],
] as const

function readName(name: string | null, field: string): string {
  if (name === null) throw badInput('It cannot be removed.', field)
  return normalizeName(name, field)
}

async function readSchema(schema: Json): Promise<string | null> {
  if (schema === null) return null
  await checkSchema(checkJson(schema, 'input.outputSchema'), 'input.outputSchema')
  return JSON.stringify(schema)
}

function readMetadata(metadata: Json): string {
  const read = checkJson(metadata ?? {}, 'input.metadata')
  if (!isObject(read)) throw badInput('metadata must be an object.', 'input.metadata')
  checkLimits(read, 'input.metadata')
  return JSON.stringify(read)
}
