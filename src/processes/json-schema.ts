import { Tinypool } from 'tinypool'
import { badInput } from '../core/errors.ts'
import { isObject, type Json, nestsDeeper } from '../core/json.ts'

const maxSchemaBytes = 100_000
// Ajv calls itself for each.
const maxSchemaNesting = 200

/** Begins with the first question, and ends when none has come for a while. */
const thread = new Tinypool({
  filename: new URL('./json-schema.worker.js', import.meta.url).href,
  minThreads: 0,
  maxThreads: 1,
  idleTimeout: 60_000,
  resourceLimits: { maxOldGenerationSizeMb: 256 },
})

/**
 * Makes sure of a JSON Schema of draft 2020-12 that values can be checked against.
 * @throws BAD_USER_INPUT for one that is none, refers to another document, or is too large
 */
export async function checkSchema(schema: Json, field: string): Promise<void> {
  if (nestsDeeper(schema, maxSchemaNesting)) {
    throw badInput(`A JSON Schema cannot nest deeper than ${maxSchemaNesting} levels.`, field)
  }
  const text = JSON.stringify(schema)
  if (Buffer.byteLength(text) > maxSchemaBytes) {
    throw badInput('A JSON Schema cannot be larger than 100 kB.', field)
  }
  const reason =
    isObject(schema) || typeof schema === 'boolean'
      ? await ask('whyNoSchema', text)
      : 'it must be an object or a boolean'
  if (reason !== null) throw badInput(`This is no JSON Schema (2020-12): ${reason}.`, field)
}

/** Why a value does not meet a schema, or null where it does. */
export const violation = (schema: Json, value: Json): Promise<string | null> =>
  ask('violation', { schema: JSON.stringify(schema), value })

/** Why a result makes its run degraded, or null where the output schema, if there is one, is met. */
export async function whyDegraded(outputSchema: Json, result: Json): Promise<string | null> {
  if (outputSchema === null) return null
  const reason = await violation(outputSchema, result)
  return reason === null ? null : `The result does not meet the output schema: ${reason}.`
}

async function ask(name: 'whyNoSchema' | 'violation', question: unknown): Promise<string | null> {
  try {
    return await thread.run(question, { name })
  } catch (error) {
    // The thread has come to its limit of memory; the next question gets another one.
    return `it could not be checked: ${(error as Error).message}`
  }
}
