/** The stable codes a client can meet as `extensions.code`; docs/api.md says what each means. */
export type ErrorCode =
  | 'UNAUTHENTICATED'
  | 'FORBIDDEN'
  | 'NOT_FOUND'
  | 'BAD_USER_INPUT'
  | 'CONFLICT'
  | 'ILLEGAL_TRANSITION'
  | 'LEASE_LOST'
  | 'LIMIT_EXCEEDED'
  | 'SERVICE_BUSY'
  | 'TIMEOUT'
  | 'INTERNAL'

/**
 * A refusal that the caller is meant to read. Whatever is not a `DomainError` is a fault of ours,
 * and a client sees no more of it than the code INTERNAL and the request id.
 */
export class DomainError extends Error {
  override readonly name = 'DomainError'
  readonly code: ErrorCode
  /** The input that is wrong, as a path in the arguments: `input.name`, `links.1.from`. */
  readonly field: string | undefined
  /** Of a feed: what came before the cursor is no longer kept, so that the client has to read anew. */
  readonly resync: boolean

  constructor(
    code: ErrorCode,
    message: string,
    field?: string,
    { resync = false, ...options }: ErrorOptions & { resync?: boolean } = {},
  ) {
    super(message, options)
    this.code = code
    this.field = field
    this.resync = resync
  }
}

export const badInput = (message: string, field?: string) =>
  new DomainError('BAD_USER_INPUT', message, field)

export const conflict = (message: string, field?: string) =>
  new DomainError('CONFLICT', message, field)

/** The life of a thing has no such step; nothing has changed. */
export const illegalTransition = (message: string) => new DomainError('ILLEGAL_TRANSITION', message)

/** A hidden thing and a missing thing answer alike, so there is one error for both. */
export const notFound = (what: string, field?: string) =>
  new DomainError('NOT_FOUND', `There is no such ${what}.`, field)

export const forbidden = (message: string) => new DomainError('FORBIDDEN', message)

export const unauthenticated = (message = 'A valid token is needed.') =>
  new DomainError('UNAUTHENTICATED', message)

export const limitExceeded = (message: string, field?: string) =>
  new DomainError('LIMIT_EXCEEDED', message, field)
