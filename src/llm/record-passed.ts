import type { Caller } from '../core/context.ts'
import { DomainError } from '../core/errors.ts'
import { isObject } from '../core/json.ts'
import { heldJson } from '../core/json-text.ts'
import type { CallPlace } from '../processes/call-place.ts'
import { recordLlmCall } from '../processes/record-llm-call.ts'
import type { Passed } from './forward.ts'
import { assembled, partsOf } from './streamed-answer.ts'

export interface PassedCall extends Passed {
  address: URL
  scope: string
  lease: string | undefined
  place: CallPlace
}

/** Records what went by as a call; a stream as the one answer that it was. */
export async function recordPassed(caller: Caller, call: PassedCall): Promise<void> {
  const { address, scope, lease, place, request, answer, errorText, latencyMs } = call
  const requestText = await request.text()
  const { processId, ...ofRun } = place
  const passed = {
    scope,
    model: modelOf(requestText),
    endpoint: address.href,
    requestText,
    responseText: answer && (await answerOf(call)),
    latencyMs: Math.round(latencyMs),
    httpStatus: answer?.statusCode ?? null,
    errorText,
  }
  try {
    const where = lease === undefined ? { processId } : ofRun
    await recordLlmCall(caller, lease, { ...where, ...passed })
  } catch (error) {
    // A question has been asked meanwhile, which gives the lease up; the call is one of the process still.
    if (!(error instanceof DomainError) || error.code !== 'LEASE_LOST') throw error
    await recordLlmCall(caller, null, { processId, ...passed })
  }
}

async function answerOf({ response, answer }: Passed): Promise<string> {
  const { 'content-type': type = '', 'content-encoding': encoding } = answer?.headers ?? {}
  return response.text(encoding, text => {
    const parts = partsOf(text, type)
    return parts ? assembled(parts) : text
  })
}

/** What a call without a model is for nobody knows. */
const unknown = 'unknown'

function modelOf(requestText: string): string {
  try {
    const request = heldJson(requestText)
    const model = isObject(request) ? request.model : undefined
    return typeof model === 'string' && model.trim() !== '' ? model.slice(0, 500) : unknown
  } catch {
    return unknown
  }
}
