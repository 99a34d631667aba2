import { z } from 'zod'
import type { Json } from '../core/json.ts'
import { isExecutionId } from './n8n-api.ts'

const json = z.custom<Json>(value => value !== undefined, 'This must be JSON.')
const text = z.string()
const shared = {
  executionId: z
    .union([text, z.int()])
    .transform(String)
    .refine(isExecutionId, 'This is no id of an execution.')
    .optional(),
}

/** What n8n can report of a run; docs/n8n.md shows each. */
export const eventSchema = z.discriminatedUnion('type', [
  z.strictObject({
    ...shared,
    type: z.literal('step'),
    stepKey: text,
    status: z.enum(['QUEUED', 'RUNNING', 'SUCCEEDED', 'FAILED', 'SKIPPED']),
    output: json.optional(),
    error: text.nullish(),
  }),
  z.strictObject({
    ...shared,
    type: z.literal('artifact'),
    artifactType: text,
    content: text,
    metadata: json.optional(),
  }),
  z.strictObject({
    ...shared,
    type: z.literal('llmCall'),
    scope: text.default('process'),
    stepId: text.nullish(),
    model: text,
    endpoint: text,
    requestJson: json.optional(),
    requestText: text.nullish(),
    responseJson: json.optional(),
    responseText: text.nullish(),
    latencyMs: z.int().nullish(),
    httpStatus: z.int().nullish(),
    errorText: text.nullish(),
    idempotencyKey: text.nullish(),
  }),
  z.strictObject({ ...shared, type: z.literal('partialResult'), result: json }),
  z.strictObject({
    ...shared,
    type: z.literal('question'),
    prompt: text,
    schema: json.optional(),
  }),
  z.strictObject({ ...shared, type: z.literal('heartbeat') }),
  z.strictObject({
    ...shared,
    type: z.literal('end'),
    status: z.enum(['SUCCEEDED', 'DEGRADED', 'FAILED', 'CANCELLED']),
    result: json.optional(),
    error: text.nullish(),
  }),
])

export type CallbackEvent = z.infer<typeof eventSchema>
