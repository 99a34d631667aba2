import pg from 'pg'

interface DriverCause {
  kind?: string
  constraint?: unknown
  originalCode?: string
}

/** What the driver reported beneath Prisma's error: Prisma keeps it in one of two places. */
function driverCause(error: unknown): DriverCause | undefined {
  if (!(error instanceof Error)) return undefined
  const meta = (error as { meta?: { driverAdapterError?: { cause?: DriverCause } } }).meta
  return meta?.driverAdapterError?.cause ?? (error.cause as DriverCause | undefined)
}

/** The constraint or unique index that refused a write, if that is what happened. */
export function violatedConstraint(error: unknown): string | undefined {
  if (error instanceof pg.DatabaseError) return error.constraint
  const constraint = driverCause(error)?.constraint as { index?: string } | undefined
  return constraint?.index
}

/** SQLSTATE of what the database answered, where it answered at all. */
export function sqlState(error: unknown): string | undefined {
  if (error instanceof pg.DatabaseError) return error.code
  return driverCause(error)?.originalCode
}

const transactionConflict = new Set(['40001', '40P01'])

/** Others have changed what was read before it could be locked. */
export class OvertakenError extends Error {
  override readonly name = 'OvertakenError'
}

/**
 * A serialisation failure or a deadlock, or what the work itself found to be the like of one: the
 * same work may well succeed when it is done again.
 */
export function isTransactionConflict(error: unknown): boolean {
  return (
    error instanceof OvertakenError ||
    transactionConflict.has(sqlState(error) ?? '') ||
    driverCause(error)?.kind === 'TransactionWriteConflict' ||
    (error as { code?: unknown })?.code === 'P2034'
  )
}
