import { builder } from '../core/builder.ts'

export const ProcessStatus = builder.enumType('ProcessStatus', {
  description: 'Whether a process takes runs, and whether workers carry them out.',
  values: {
    DRAFT: { value: 'draft', description: 'Being written: it takes no runs.' },
    ACTIVE: { value: 'active', description: 'Takes runs, and workers carry them out.' },
    PAUSED: { value: 'paused', description: 'Takes runs, which wait until it is active again.' },
    ARCHIVED: { value: 'archived', description: 'Out of use: it takes no runs.' },
  } as const,
})

export const RunStatus = builder.enumType('RunStatus', {
  description:
    'Where a run stands. Succeeded, degraded, failed and cancelled are ends, which nothing follows.',
  values: {
    QUEUED: { value: 'queued', description: 'Waits for a worker.' },
    RUNNING: {
      value: 'running',
      description: 'A worker carries it out, or is to take it up again with an answer.',
    },
    WAITING_USER: { value: 'waiting_user', description: 'Waits for the answer to its question.' },
    SUCCEEDED: { value: 'succeeded', description: 'Ended with what was asked for.' },
    DEGRADED: {
      value: 'degraded',
      description: 'Ended with less than was asked for: it has a result, and the reason.',
    },
    FAILED: { value: 'failed', description: 'Ended without a result.' },
    CANCELLED: { value: 'cancelled', description: 'Called off before its end.' },
  } as const,
})

export const StepStatus = builder.enumType('StepStatus', {
  description:
    'Where a step of a run stands. Succeeded, failed and skipped are ends, which nothing follows.',
  values: {
    QUEUED: { value: 'queued', description: 'Is to come.' },
    RUNNING: { value: 'running', description: 'Is being carried out.' },
    SUCCEEDED: { value: 'succeeded', description: 'Ended well.' },
    FAILED: { value: 'failed', description: 'Ended with an error.' },
    SKIPPED: { value: 'skipped', description: 'Was not needed.' },
  } as const,
})
