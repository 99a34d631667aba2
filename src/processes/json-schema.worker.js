// @ts-check
// Runs in a thread of its own, where a pattern that takes for ever keeps nobody waiting but those
// who check. It is JavaScript because Node 20 starts no thread from TypeScript.
import { createContext, Script } from 'node:vm'
import { Ajv2020 } from 'ajv/dist/2020.js'

/** @typedef {import('ajv').ValidateFunction} ValidateFunction */
/** @typedef {{ validate: ValidateFunction } | { reason: string }} Compiled */

/** @type {import('ajv').Options} */
const options = { strict: false, validateFormats: false, logger: false }

/** Knows what a schema may look like. None is added to it, so that no schema meets another. */
const metaSchema = new Ajv2020(options)

const cacheSize = 100
/** @type {Map<string, Compiled>} */
const cache = new Map()

/**
 * Why a text is no JSON Schema, or null where it is one.
 * @param {string} schema
 */
export function whyNoSchema(schema) {
  const compiled = compile(schema)
  return 'reason' in compiled ? compiled.reason : null
}

/**
 * Why a value does not meet a schema, or null where it does.
 * @param {{ schema: string, value: unknown }} question
 */
export function violation({ schema, value }) {
  const compiled = compile(schema)
  if ('reason' in compiled) return unchecked(compiled.reason)
  const { validate } = compiled
  try {
    return timed(() => validate(value)) ? null : reasonOf(validate.errors)
  } catch (error) {
    // Of a schema that calls itself for ever, or takes too long: nothing is known to meet it.
    return unchecked(messageOf(error))
  }
}

/**
 * The last ones are kept: a process checks all its results against the same schema.
 * @param {string} text
 * @returns {Compiled}
 */
function compile(text) {
  const known = cache.get(text)
  if (known) return known
  const compiled = compileAnew(text)
  if (cache.size === cacheSize) cache.delete(cache.keys().next().value ?? '')
  cache.set(text, compiled)
  return compiled
}

/**
 * @param {string} text
 * @returns {Compiled}
 */
function compileAnew(text) {
  try {
    const schema = JSON.parse(text)
    if (!timed(() => metaSchema.validateSchema(schema)))
      return { reason: reasonOf(metaSchema.errors) }
    const ajv = new Ajv2020({ ...options, validateSchema: false })
    const validate = timed(() => ajv.compile(schema))
    // Ajv's own: its answer is a promise, and so always true.
    if ('$async' in validate) return { reason: '$async is not of JSON Schema' }
    return { validate }
  } catch (error) {
    return { reason: messageOf(error) }
  }
}

/** @param {string} reason */
const unchecked = reason => `it could not be checked: ${reason}`

/** @param {unknown} error */
const messageOf = error => (error instanceof Error ? error.message : String(error))

/** @param {readonly import('ajv').ErrorObject[] | null | undefined} errors */
function reasonOf(errors) {
  const [error] = errors ?? []
  return `${error?.instancePath || '/'} ${error?.message ?? 'is wrong'}`
}

const maxMs = 1_000
const box = createContext({ work: () => {} })
const call = new Script('work()')

/**
 * @template Result
 * @param {() => Result} work
 * @returns {Result}
 */
function timed(work) {
  box.work = work
  return call.runInContext(box, { timeout: maxMs })
}
