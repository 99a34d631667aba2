import type { DocumentNode, ExecutionResult, GraphQLSchema } from 'graphql'
import type { Context, Viewer } from '../core/context.ts'
import { DomainError } from '../core/errors.ts'
import { type ClientError, type Origin, toClientError } from './graphql-errors.ts'
import type { Transport } from './metrics.ts'

/** Who sent an operation, and how. */
export interface Asker extends Origin {
  readonly viewer: Viewer | null
  readonly address: string
  readonly transport: Transport
  /** What they showed, to be asked again for as long as a stream lasts. */
  readonly authorization: string | undefined
  /** The place in the feed when the request came in, before anything was done about it. */
  readonly since: string
  /** The last event that the client of a stream has seen. */
  readonly lastEventId?: string | undefined
  /** Of HTTP: Yoga finds it in the context of what it answers. */
  readonly request?: Request
}

export interface RunArgs {
  schema: GraphQLSchema
  document: DocumentNode
  operationName: string | undefined
  variableValues: Record<string, unknown>
  contextValue: Context
  rootValue?: unknown
  signal?: AbortSignal
}

/** A failure as the result that tells of it. */
export async function attempt<Result>(
  work: () => Result | Promise<Result>,
  asker: Asker,
): Promise<Result | ExecutionResult> {
  try {
    return await work()
  } catch (error) {
    return { errors: [toClientError(error, asker)] }
  }
}

/** A result as its client may see it. */
export function present(result: ExecutionResult, origin: Origin): ExecutionResult {
  if (!result.errors) return result
  return { ...result, errors: result.errors.map(error => toClientError(error, origin)) }
}

export const isStream = (
  result: ExecutionResult | AsyncIterable<ExecutionResult>,
): result is AsyncIterable<ExecutionResult> => Symbol.asyncIterator in result

export const outcomeOf = (seen: ExecutionResult): string =>
  (seen.errors?.[0] as ClientError | undefined)?.code ?? 'OK'

export const shuttingDown = () =>
  new DomainError('SERVICE_BUSY', 'The server is shutting down. Try again.')
