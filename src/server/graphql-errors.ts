import { PothosValidationError } from '@pothos/core'
import { ForbiddenError } from '@pothos/plugin-scope-auth'
import { GraphQLError, type GraphQLErrorOptions } from 'graphql'
import { DomainError, type ErrorCode } from '../core/errors.ts'
import { notHeld } from '../core/json-text.ts'
import type { Log } from '../core/log.ts'
import { outage } from './outage.ts'

/** Under which request an error happened. */
export interface Origin {
  readonly requestId: string
  readonly log: Log
}

/** An error as a client may see it. Nothing else leaves the server. */
export class ClientError extends GraphQLError {
  readonly code: ErrorCode
  /** The HTTP status for a request that was refused before GraphQL had a say. */
  readonly status: number | undefined

  constructor(code: ErrorCode, message: string, options: ClientErrorOptions) {
    const { requestId, field, resync, status, at } = options
    super(message, {
      ...at,
      extensions: {
        code,
        ...(field !== undefined && { field }),
        ...(resync && { resync }),
        requestId,
      },
    })
    this.code = code
    this.status = status
  }
}

interface ClientErrorOptions {
  requestId: string
  field?: string | undefined
  resync?: boolean | undefined
  status?: number | undefined
  at?: Pick<GraphQLErrorOptions, 'nodes' | 'source' | 'positions' | 'path'>
}

/** Turns whatever was thrown into what a client may see of it, and logs what is a fault of ours. */
export function toClientError(error: unknown, { requestId, log }: Origin): ClientError {
  if (error instanceof ClientError) return error
  const located = error instanceof GraphQLError ? error : undefined
  const verdict = judge(error)
  if (verdict.isFault) log.error({ err: rootOf(error), path: located?.path }, 'an operation failed')
  else if (verdict.isOutage) log.warn({ err: rootOf(error), path: located?.path }, verdict.message)
  return new ClientError(verdict.code, shorten(verdict.message), {
    requestId,
    field: verdict.field,
    resync: verdict.resync,
    status: verdict.status,
    at: located && {
      nodes: located.nodes,
      source: located.source,
      positions: located.positions,
      path: located.path,
    },
  })
}

/** Whether the same may succeed a little later. */
export function isPassing(error: unknown): boolean {
  const { code } = error instanceof ClientError ? error : judge(error)
  return code === 'SERVICE_BUSY' || code === 'TIMEOUT'
}

const internal = 'Unexpected error.'

interface Verdict {
  code: ErrorCode
  message: string
  field?: string | undefined
  resync?: boolean | undefined
  status?: number | undefined
  isFault?: boolean
  isOutage?: boolean
}

function judge(error: unknown): Verdict {
  const root = rootOf(error)
  if (root instanceof DomainError) return root
  if (root instanceof ForbiddenError) return { code: 'FORBIDDEN', message: root.message }
  if (root instanceof PothosValidationError) return badUserInput(root)
  if (error instanceof GraphQLError && root instanceof GraphQLError) {
    if (isFromRequest(error, root)) return badUserInput(root)
  } else {
    const failure = outage(root)
    if (failure) return { code: failure.code, message: failure.message, isOutage: true }
  }
  return { code: 'INTERNAL', message: internal, isFault: true }
}

function badUserInput(error: GraphQLError): Verdict {
  const { code, field, http } = error.extensions as {
    code?: unknown
    field?: string
    http?: { status?: number }
  }
  return {
    code: isErrorCode(code) ? code : 'BAD_USER_INPUT',
    message: error.message,
    field,
    status: http?.status,
  }
}

/** A refusal with an HTTP status of its own. */
export const refusal = (code: ErrorCode, message: string, status: number, field?: string) =>
  new GraphQLError(message, { extensions: { code, field, http: { status } } })

/** JavaScript would go on with another number than the client has sent. */
export const unheld = (number: string) =>
  refusal('BAD_USER_INPUT', `The server ${notHeld(number)}`, 400, 'variables')

export const tooMany = (message: string) => refusal('LIMIT_EXCEEDED', message, 429)

/**
 * graphql-js reports with the same class what is wrong with a request and what is wrong with a
 * resolver's answer. The latter happens at a path, where of the request only arguments are read.
 */
function isFromRequest(error: GraphQLError, root: GraphQLError): boolean {
  return error.path === undefined || root.message.startsWith('Argument "')
}

function rootOf(error: unknown): unknown {
  let root = error
  while (root instanceof GraphQLError && root.originalError) root = root.originalError
  return root
}

const codes: Record<ErrorCode, true> = {
  UNAUTHENTICATED: true,
  FORBIDDEN: true,
  NOT_FOUND: true,
  BAD_USER_INPUT: true,
  CONFLICT: true,
  ILLEGAL_TRANSITION: true,
  LEASE_LOST: true,
  LIMIT_EXCEEDED: true,
  SERVICE_BUSY: true,
  TIMEOUT: true,
  INTERNAL: true,
}

const isErrorCode = (code: unknown): code is ErrorCode =>
  typeof code === 'string' && Object.hasOwn(codes, code)

// graphql-js repeats wrong values in its messages, however long they are.
const shorten = (message: string) =>
  message.length > 1_000 ? `${message.slice(0, 1_000)}…` : message
