import type { Caller } from '../core/context.ts'
import { forbidden } from '../core/errors.ts'
import { normalizeName } from '../core/names.ts'
import { query } from '../core/query.ts'
import { checkRange } from '../core/range.ts'
import { raw, sql } from '../core/sql.ts'
import { transaction } from '../core/transaction.ts'
import type { ProcessRun } from '../generated/prisma/client.ts'
import { deadline } from './deadline.sql.ts'
import { hashLease, newLease } from './lease.ts'
import { canWork } from './permissions.ts'
import { spellingOf } from './process-list.ts'
import { appendToRun } from './processes.events.ts'
import { runColumns } from './processes.sql.ts'

const maxClaimed = 100
const minLeaseSeconds = 5
const maxLeaseSeconds = 3_600

export interface ClaimRuns {
  /** All processes where it is left out. */
  processCodes?: readonly string[] | null | undefined
  /** The name that the worker gives itself. */
  worker: string
  max: number
  leaseSeconds: number
}

export interface ClaimedRun {
  run: ProcessRun
  /** Shown this once; what the worker reports needs it. */
  lease: string
  expiresAt: Date
}

/**
 * Gives the worker runs that wait for one, the oldest first, each to one worker only.
 * @throws FORBIDDEN, BAD_USER_INPUT
 */
export async function claimRuns(caller: Caller, input: ClaimRuns): Promise<ClaimedRun[]> {
  const { viewer } = caller
  if (!canWork(viewer)) throw forbidden('Runs are claimed by workers.')
  const worker = normalizeName(input.worker, 'worker', 200)
  const { max, leaseSeconds } = input
  checkRange(max, 'max', 1, maxClaimed)
  checkRange(leaseSeconds, 'leaseSeconds', minLeaseSeconds, maxLeaseSeconds)
  const codes = input.processCodes?.map(spellingOf).filter(code => code !== undefined)
  const ofProcesses = codes ? sql`and p.code = any(${codes}::text[])` : raw('')
  return transaction(caller, async tx => {
    const waiting = await query<Pick<ProcessRun, 'id' | 'status'>>(
      tx,
      sql`select r.id, r.status from process_runs r join processes p on p.id = r.process_id
        where r.lease_expires_at is null and r.status in ('queued', 'running')
          and p.status = 'active' ${ofProcesses}
          and (r.deadline_at is null or r.deadline_at > clock_timestamp())
        order by r.created_at, r.id limit ${max} for no key update of r skip locked`,
    )
    const claimed: ClaimedRun[] = []
    for (const { id, status } of waiting) {
      const lease = newLease()
      const [changed] = await query<ProcessRun>(
        tx,
        sql`update process_runs r set status = 'running', attempt = r.attempt + 1,
            started_at = coalesce(r.started_at, clock_timestamp()),
            deadline_at = case r.status when 'queued' then ${deadline('runSeconds')} else r.deadline_at end,
            lease_hash = ${hashLease(lease)}, lease_seconds = ${leaseSeconds}::int,
            lease_expires_at = clock_timestamp() + make_interval(secs => ${leaseSeconds}::int),
            worker = ${worker}, claimed_by = ${viewer.userId}::uuid
          from processes p where r.id = ${id}::uuid and p.id = r.process_id
          returning ${runColumns}`,
      )
      if (!changed?.leaseExpiresAt) throw new Error('a run that is locked could not be claimed')
      const run = await appendToRun(tx, changed, status === 'queued' ? [begun] : [])
      claimed.push({ run, lease, expiresAt: changed.leaseExpiresAt })
    }
    return claimed
  })
}

/** A run that was answered is running already. */
const begun = { type: 'status', from: 'queued', to: 'running', errorText: null } as const
