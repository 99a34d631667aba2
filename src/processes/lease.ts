import { createHash, randomBytes } from 'node:crypto'
import type { Caller } from '../core/context.ts'
import { DomainError, forbidden, illegalTransition } from '../core/errors.ts'
import type { Json } from '../core/json.ts'
import { query, type Tx } from '../core/query.ts'
import { sql } from '../core/sql.ts'
import { transaction } from '../core/transaction.ts'
import type { Process, ProcessRun, RunStatus } from '../generated/prisma/client.ts'
import { canWork } from './permissions.ts'
import { appendToRun } from './processes.events.ts'
import { changeRun, lockRun } from './run-row.sql.ts'
import { hasEnded } from './transitions.ts'

export const newLease = () => `lease_${randomBytes(32).toString('base64url')}`

/** What is kept of a lease. It has 256 random bits, so a fast hash is enough. */
export const hashLease = (lease: string) => createHash('sha256').update(lease).digest('hex')

export const leaseLost = () =>
  new DomainError('LEASE_LOST', 'The lease is unknown, has expired or was given up. Claim again.')

/**
 * What a worker does to the run that it holds, in one transaction and under the lock of the run.
 * @param late a result; of a run that has ended it is kept as an event, though the call is refused
 * @throws FORBIDDEN, LEASE_LOST, and ILLEGAL_TRANSITION where the run has ended
 */
export async function withLease<Result>(
  caller: Caller,
  lease: string,
  work: (tx: Tx, run: ProcessRun) => Promise<Result>,
  late?: Json,
): Promise<Result> {
  if (!canWork(caller.viewer)) throw forbidden('Runs are carried out by workers.')
  const done = await transaction<{ result: Result } | { ended: RunStatus }>(caller, async tx => {
    const run = await lockRun(tx, sql`r.lease_hash = ${hashLease(lease)}`)
    if (!run) throw leaseLost()
    if (hasEnded(run.status)) {
      // Refused after the commit, or the event would be lost.
      if (late !== undefined) await keepLate(tx, run, late)
      return { ended: run.status }
    }
    if (!run.isHeld) throw leaseLost()
    return { result: await work(tx, run) }
  })
  if ('ended' in done) throw illegalTransition(`The run has ended: it is ${done.ended}.`)
  return done.result
}

/**
 * The process of the run that the lease holds, read without the lock. What costs much is done before
 * the lock is taken, and for those alone who will get it.
 */
export async function heldProcess(
  { viewer, db }: Caller,
  lease: string,
): Promise<Pick<Process, 'outputSchema'> | undefined> {
  if (!canWork(viewer)) return undefined
  const [process] = await query<Pick<Process, 'outputSchema'>>(
    db.pool,
    sql`select p.output_schema as "outputSchema" from process_runs r join processes p on p.id = r.process_id
      where r.lease_hash = ${hashLease(lease)} and r.lease_expires_at > clock_timestamp()`,
  )
  return process
}

/** A repeat of the result that the run has tells nothing new. */
async function keepLate(tx: Tx, run: ProcessRun, late: Json): Promise<void> {
  const [isNew] = await query(
    tx,
    sql`select from process_runs where id = ${run.id}::uuid
      and (status = 'cancelled'
        or coalesce(result_payload, 'null') is distinct from ${JSON.stringify(late)}::jsonb)`,
  )
  if (isNew) await appendToRun(tx, run, [{ type: 'result', partialResult: late, late: true }])
}

/** Prolongs the lease and answers until when. @throws FORBIDDEN, LEASE_LOST */
export async function heartbeatRun(caller: Caller, lease: string): Promise<Date> {
  try {
    const { leaseExpiresAt } = await withLease(caller, lease, (tx, run) =>
      changeRun(
        tx,
        run.id,
        sql`lease_expires_at = clock_timestamp() + make_interval(secs => r.lease_seconds)`,
      ),
    )
    return leaseExpiresAt ?? new Date()
  } catch (error) {
    // There is nothing to go on with, however it ended.
    if (error instanceof DomainError && error.code === 'ILLEGAL_TRANSITION') throw leaseLost()
    throw error
  }
}
