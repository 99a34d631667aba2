import { createContext, Script } from 'node:vm'
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js'
import { badInput } from '../core/errors.ts'
import { type Json, nestsDeeper } from '../core/json.ts'

const maxSchemaBytes = 100_000
// Ajv calls itself for each.
const maxSchemaNesting = 200

/**
 * A JSON Schema of draft 2020-12 that values can be checked against.
 * @throws BAD_USER_INPUT for one that is none, refers to another document, or is too large
 */
export function checkSchema(schema: Json, field: string): void {
  if (nestsDeeper(schema, maxSchemaNesting)) {
    throw badInput(`A JSON Schema cannot nest deeper than ${maxSchemaNesting} levels.`, field)
  }
  const text = JSON.stringify(schema)
  if (Buffer.byteLength(text) > maxSchemaBytes) {
    throw badInput('A JSON Schema cannot be larger than 100 kB.', field)
  }
  const reason = whyNoSchema(schema, text)
  if (reason !== null) throw badInput(`This is no JSON Schema (2020-12): ${reason}.`, field)
}

/** Why a value does not meet a schema, or null where it does. */
export function violation(schema: Json, value: Json): string | null {
  try {
    const validate = compiled(JSON.stringify(schema))
    return timed(() => validate(value)) ? null : reasonOf(validate.errors)
  } catch (error) {
    // Of a schema that calls itself for ever, or takes too long: nothing is known to meet it.
    return `it could not be checked: ${(error as Error).message}`
  }
}

const options = { strict: false, validateFormats: false, logger: false } as const

/** Knows what a schema may look like. None is added to it, so that no schema meets another. */
const metaSchema = new Ajv2020(options)

function whyNoSchema(schema: Json, text: string): string | null {
  if (typeof schema !== 'boolean' && (typeof schema !== 'object' || schema === null)) {
    return 'it must be an object or a boolean'
  }
  try {
    if (!timed(() => metaSchema.validateSchema(schema))) return reasonOf(metaSchema.errors)
    // Ajv's own: its answer is a promise, and so always true.
    if ('$async' in compiled(text)) return '$async is not of JSON Schema'
    return null
  } catch (error) {
    return (error as Error).message
  }
}

const cacheSize = 100
const cache = new Map<string, ValidateFunction>()

/** The last ones are kept: a process checks all its results against the same schema. */
function compiled(text: string): ValidateFunction {
  const known = cache.get(text)
  if (known) return known
  const ajv = new Ajv2020({ ...options, validateSchema: false })
  const validate = timed(() => ajv.compile(JSON.parse(text)))
  if (cache.size === cacheSize) cache.delete(cache.keys().next().value ?? '')
  cache.set(text, validate)
  return validate
}

const reasonOf = (errors: readonly ErrorObject[] | null | undefined) => {
  const [error] = errors ?? []
  return `${error?.instancePath || '/'} ${error?.message ?? 'is wrong'}`
}

const maxMs = 1_000
const box = createContext({ work: () => {} })
const call = new Script('work()')

/** Patterns of a schema can take for ever on some texts; this thread answers everybody. */
function timed<Result>(work: () => Result): Result {
  box.work = work
  return call.runInContext(box, { timeout: maxMs })
}
