import { sqlState } from '../core/database-errors.ts'
import { DomainError } from '../core/errors.ts'

// https://www.postgresql.org/docs/current/errcodes-appendix.html
const unreachableState = /^(08...|57P0[1-5]|53300)$/
const timeoutState = /^(57014|25P0[34]|55P03)$/
const unstorableTextState = /^(22021|22P05)$/
/** Of the trigger `core.run_lifecycle`, behind the checks of the commands. */
const illegalTransitionState = 'EG001'

const unreachableCode = new Set([
  ...['ECONNREFUSED', 'ECONNRESET', 'ENOTFOUND', 'EAI_AGAIN', 'EPIPE', 'EHOSTUNREACH', 'ETIMEDOUT'],
  // https://www.prisma.io/docs/orm/reference/error-reference
  ...['P1001', 'P1002', 'P1008', 'P1017', 'P2024', 'P2037'],
])
const unreachableKind = new Set([
  'ConnectionClosed',
  'DatabaseNotReachable',
  'SocketTimeout',
  'TooManyConnections',
])
// pg has no code for the end of its own connection, nor pg-pool for having none to give.
const unreachableMessage =
  /^(Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error|Cannot use a pool after calling end)/
const transactionTimeoutMessage = /Unable to start a transaction in the given time/

/** What a failure of the database or of time means to a client; undefined where it is neither. */
export function outage(error: unknown): DomainError | undefined {
  for (const one of chain(error)) {
    const { name, code, kind, message = '' } = one
    const state = sqlState(one) ?? ''
    if (
      unreachableState.test(state) ||
      unreachableCode.has(String(code)) ||
      unreachableKind.has(String(kind)) ||
      unreachableMessage.test(message) ||
      transactionTimeoutMessage.test(message)
    ) {
      const cause = { cause: error }
      return new DomainError('SERVICE_BUSY', 'The database is busy. Try again.', undefined, cause)
    }
    if (timeoutState.test(state) || name === 'TimeoutError' || code === 'P2028') {
      return new DomainError('TIMEOUT', 'The operation took too long.', undefined, { cause: error })
    }
    if (unstorableTextState.test(state)) {
      return new DomainError('BAD_USER_INPUT', 'A text has a character that cannot be stored.')
    }
    if (state === illegalTransitionState) {
      return new DomainError('ILLEGAL_TRANSITION', 'The run cannot become this any more.')
    }
  }
  return undefined
}

interface Failure {
  name?: string
  code?: unknown
  kind?: unknown
  message?: string
}

/** The error, what it was caused by, and what Prisma's adapter reported beneath it. */
function* chain(error: unknown): Generator<Failure> {
  let one: unknown = error
  for (let depth = 0; depth < 5 && one !== null && typeof one === 'object'; depth++) {
    yield one as Failure
    const { cause, meta } = one as { cause?: unknown; meta?: { driverAdapterError?: unknown } }
    one = cause ?? meta?.driverAdapterError
  }
}
