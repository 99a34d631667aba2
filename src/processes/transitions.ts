import type { RunStatus, StepStatus } from '../generated/prisma/client.ts'

// The life of a run and of a step (process-tables.ru.md, «Status Lifecycle»). The trigger
// core.run_lifecycle holds the same table for runs, whoever writes.

const next: Record<RunStatus, readonly RunStatus[]> = {
  queued: ['running', 'cancelled', 'failed'],
  running: ['succeeded', 'degraded', 'failed', 'waiting_user', 'cancelled'],
  waiting_user: ['running', 'cancelled', 'failed'],
  succeeded: [],
  degraded: [],
  failed: [],
  cancelled: [],
}

export type RunEnd = 'succeeded' | 'degraded' | 'failed' | 'cancelled'

export const canBecome = (from: RunStatus, to: RunStatus) => next[from].includes(to)

export const hasEnded = (status: RunStatus) => next[status].length === 0

const nextOfStep: Record<StepStatus, readonly StepStatus[]> = {
  queued: ['running', 'skipped'],
  running: ['succeeded', 'failed'],
  succeeded: [],
  failed: [],
  skipped: [],
}

/**
 * What a report does to a step: `kept` is one that tells nothing new, because it is a repeat or
 * comes late; it never takes a step back.
 */
export function stepVerdict(
  from: StepStatus | null,
  to: StepStatus,
): 'written' | 'kept' | 'refused' {
  if (from === to) return 'kept'
  if (from === null) return isEndOfWork(to) ? 'refused' : 'written'
  if (nextOfStep[from].includes(to)) return 'written'
  const comesLate = to === 'queued' || (to === 'running' && from !== 'queued')
  return comesLate ? 'kept' : 'refused'
}

/** What only a step that has been started can come to. */
const isEndOfWork = (status: StepStatus) => status === 'succeeded' || status === 'failed'
