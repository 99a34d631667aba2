import { isObject, type Json, type JsonObject } from '../core/json.ts'

/** How an execution ended; undefined while it has not. */
type ExecutionEnd = 'succeeded' | 'failed' | 'cancelled'

/** A run of a node, as a step. */
export interface NodeStep {
  stepKey: string
  status: 'succeeded' | 'failed'
  startedAt: Date
  finishedAt: Date
  errorText: string | null
}

/** What is used of an execution as `GET /api/v1/executions/{id}?includeData=true` answers it. */
export interface Execution {
  end: ExecutionEnd | undefined
  /** In the order in which they began. */
  steps: NodeStep[]
  errorText: string | null
  /** What the last node put out: the JSON of its items, of a single one that alone. */
  result: Json
}

const ends: Record<string, ExecutionEnd> = {
  success: 'succeeded',
  error: 'failed',
  crashed: 'failed',
  canceled: 'cancelled',
}

/** Reads an execution of any shape: what is not there says nothing. */
export function readExecution(read: Json): Execution {
  const execution = objectOf(read)
  const resultData = objectOf(objectOf(execution.data).resultData)
  const runData = objectOf(resultData.runData)
  const { status, finished, lastNodeExecuted } = { ...execution, ...resultData } as JsonObject
  const end = typeof status === 'string' ? ends[status] : undefined
  return {
    end: end ?? (finished === true ? 'succeeded' : undefined),
    steps: stepsOf(runData),
    errorText: errorOf(resultData.error),
    result: typeof lastNodeExecuted === 'string' ? outputOf(runData[lastNodeExecuted]) : null,
  }
}

const objectOf = (value: Json | undefined): JsonObject => (isObject(value) ? value : {})
const listOf = (value: Json | undefined): readonly Json[] => (Array.isArray(value) ? value : [])

function errorOf(error: Json | undefined): string | null {
  if (typeof error === 'string') return error
  const { message, description } = objectOf(error)
  const parts = [message, description].filter(part => typeof part === 'string' && part !== '')
  return parts.length > 0 ? parts.join(': ') : null
}

/** A node that ran several times is several steps, whose keys are numbered. */
function stepsOf(runData: JsonObject): NodeStep[] {
  const steps = Object.entries(runData).flatMap(([node, runs]) =>
    listOf(runs).map((run, index) => stepOf(index === 0 ? node : `${node} (${index + 1})`, run)),
  )
  return steps.sort((one, other) => one.startedAt.getTime() - other.startedAt.getTime())
}

function stepOf(stepKey: string, run: Json): NodeStep {
  const { startTime, executionTime, executionStatus, error } = objectOf(run)
  const start = numberOf(startTime)
  const errorText = errorOf(error)
  return {
    stepKey: stepKey.slice(0, 200),
    status: executionStatus === 'error' || error != null ? 'failed' : 'succeeded',
    startedAt: new Date(start),
    finishedAt: new Date(start + numberOf(executionTime)),
    errorText,
  }
}

const maxTime = 8.64e15
const numberOf = (value: Json | undefined) =>
  typeof value === 'number' && value >= 0 && value < maxTime / 2 ? value : 0

function outputOf(runs: Json | undefined): Json {
  const main = listOf(objectOf(objectOf(listOf(runs).at(-1)).data).main)
  const items = listOf(main.find(items => listOf(items).length > 0)).map(
    item => objectOf(item).json ?? null,
  )
  return items.length === 1 ? (items[0] ?? null) : items.length === 0 ? null : items
}
