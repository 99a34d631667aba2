import { type ExecutionResult, GraphQLError } from 'graphql'
import type { ErrorCode } from '../core/errors.ts'
import { ClientError, type Origin, toClientError } from './graphql-errors.ts'

const statuses: Partial<Record<ErrorCode, number>> = {
  UNAUTHENTICATED: 401,
  FORBIDDEN: 403,
  SERVICE_BUSY: 503,
  TIMEOUT: 504,
  INTERNAL: 500,
}

export const statusOf = (code: ErrorCode): number => statuses[code] ?? 400

/**
 * Gives the errors of a request that was not executed their HTTP status. What GraphQL itself refuses
 * is 200 to who accepts only `application/json`, as the GraphQL over HTTP specification wants it.
 */
export function withStatus(result: ExecutionResult, origin: Origin): ExecutionResult {
  if ('data' in result || !result.errors) return result
  return { ...result, errors: result.errors.map(error => errorWithStatus(error, origin)) }
}

function errorWithStatus(error: GraphQLError, origin: Origin): GraphQLError {
  const seen = toClientError(error, origin)
  const { code, message, nodes, source, positions, path, extensions } = seen
  const status = seen.status ?? statusOf(code)
  const isOfGraphql = error instanceof ClientError && seen.status === undefined && status < 500
  const headers = error.extensions.http?.headers ?? headersOf(status)
  const http = { status, spec: isOfGraphql, headers }
  const at = { nodes, source, positions, path }
  return new GraphQLError(message, { ...at, extensions: { ...extensions, http } })
}

function headersOf(status: number): Record<string, string> {
  if (status === 401) return { 'www-authenticate': 'Bearer' }
  if (status === 405) return { allow: 'POST' }
  return {}
}
