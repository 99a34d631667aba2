import type { Caller } from '../core/context.ts'
import { DomainError } from '../core/errors.ts'
import { readIdOf } from '../core/ids.ts'
import type { RunStatus, StepStatus } from '../generated/prisma/client.ts'
import { addArtifact } from '../processes/add-artifact.ts'
import { askUser } from '../processes/ask.ts'
import { endRun } from '../processes/end-run.ts'
import { finishRun, reportPartialResult } from '../processes/finish.ts'
import { withLease } from '../processes/lease.ts'
import { machineText } from '../processes/machine-text.ts'
import { recordLlmCall } from '../processes/record-llm-call.ts'
import { reportStep } from '../processes/report-step.ts'
import type { CallbackEvent } from './callback-events.ts'
import { dispatchStep } from './n8n-runs.sql.ts'

/** Does what an event of n8n says, by the commands that any worker has. @throws as they do */
export async function report(caller: Caller, lease: string, event: CallbackEvent): Promise<void> {
  switch (event.type) {
    case 'step': {
      const status = event.status.toLowerCase() as StepStatus
      const { stepKey, output, error } = event
      await reportStep(caller, lease, { stepKey, status, outputPayload: output, errorText: error })
      return
    }
    case 'artifact':
      await addArtifact(caller, lease, event)
      return
    case 'llmCall': {
      const stepId = event.stepId && readIdOf('ProcessRunStep', event.stepId, 'stepId')
      await recordLlmCall(caller, lease, { ...event, stepId })
      return
    }
    case 'partialResult':
      await reportPartialResult(caller, lease, event.result)
      return
    case 'question':
      await askUser(caller, { lease, prompt: event.prompt, schema: event.schema })
      return
    case 'end':
      await settleDispatch(caller, lease)
      await end(caller, lease, event)
  }
}

/** A workflow can report its end before its webhook has answered, and then has been dispatched. */
async function settleDispatch(caller: Caller, lease: string): Promise<void> {
  try {
    await reportStep(caller, lease, { stepKey: dispatchStep, status: 'succeeded' })
  } catch (error) {
    // It is no run of n8n's, or the end is refused in a moment.
    if (!(error instanceof DomainError)) throw error
  }
}

async function end(
  caller: Caller,
  lease: string,
  { status, result, error }: CallbackEvent & { type: 'end' },
): Promise<void> {
  if (status !== 'CANCELLED') {
    const ended = status.toLowerCase() as RunStatus
    await finishRun(caller, { lease, status: ended, result, errorText: error })
    return
  }
  const { text, replaced } = machineText(error ?? 'The execution was cancelled in n8n.')
  await withLease(caller, lease, (tx, run) =>
    endRun(tx, run, { status: 'cancelled', errorText: text, replacedText: replaced }),
  )
}
