import { isObject, type Json, type JsonObject } from '../core/json.ts'
import { Echoes } from './echoes.ts'
import { isSecretHeader, isSecretName, isTokenName } from './secret-names.ts'
import { decoded, hideInText, redacted } from './secret-text.ts'

/** What is said of a call of an LLM, in which secrets may stand. */
export interface Redactable {
  endpoint: string
  request: Json
  response: Json | undefined
  errorText: string | null
}

/**
 * The same without secrets: what stands under the name of one, in any place and case, what looks like
 * one, and each such value wherever else it is echoed (DESIGN.md §7).
 */
export function redact({ endpoint, request, response, errorText }: Redactable): Redactable {
  const secrets = new Secrets()
  const found = secrets.add
  // All is looked through before the echoes are: one part may say what another gives away.
  const seen = {
    endpoint: hideInText(endpoint, found),
    request: hideInJson(request, found),
    response: response === undefined ? undefined : hideInJson(response, found),
    errorText: errorText === null ? null : hideInText(errorText, found),
  }
  const echoes = secrets.echoes()
  if (!echoes) return seen
  const silence = (text: string) => echoes.replaceIn(text, redacted)
  return {
    endpoint: silence(seen.endpoint),
    request: silenceJson(seen.request, silence),
    response: seen.response === undefined ? undefined : silenceJson(seen.response, silence),
    errorText: seen.errorText === null ? null : silence(seen.errorText),
  }
}

/** In characters; nobody echoes a longer one. */
const maxLength = 4_000
/** Of all together: what comes behind is taken out where it stands, but not looked for elsewhere. */
const maxTotal = 100_000

/** Those that are looked for wherever else they may be. */
class Secrets {
  readonly #texts = new Set<string>()
  #total = 0

  readonly add = (secret: string): void => {
    if (secret.length > maxLength || this.#total >= maxTotal) return
    const value = secret.trim()
    if (this.#texts.has(value)) return
    this.#addOne(value)
    // A scheme before it is not echoed with it, nor are the cookies of one header all together.
    for (const part of value.split(/[\s;,]+/)) this.#addOne(part.replace(/^[\w.-]{1,60}=(?=.)/, ''))
  }

  #addOne(text: string): void {
    if (!isTelling(text)) return
    const inJson = JSON.stringify(text).slice(1, -1)
    for (const spelling of [text, decoded(text), inJson, encoded(text)]) {
      if (this.#texts.has(spelling)) continue
      this.#texts.add(spelling)
      this.#total += spelling.length
    }
  }

  echoes(): Echoes | undefined {
    return this.#texts.size > 0 ? new Echoes(this.#texts) : undefined
  }
}

/** A short word may be a secret, but stands in other places for itself. */
const isTelling = (text: string) =>
  (text.length >= 8 || (text.length >= 6 && /\d/.test(text))) &&
  !redacted.includes(text) &&
  !names.test(text)

/** What stands for a secret in examples and schemas is a word like any other. */
const names =
  /^(?:password|passphrase|(?:client[_-]?)?secret|api[_-]?key|(?:access|refresh|id)[_-]?token|authorization|credentials?)$/i

const encoded = (text: string) => encodeURIComponent(text.toWellFormed())

type Found = (secret: string) => void

/**
 * The digits of a number that a double cannot hold, for which `core/json-text.ts` puts a text that must
 * stay whole or go.
 */
const exactDigits = (text: string): string | undefined =>
  /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(-?\d.*)$/.exec(text)?.[1]

function hideInJson(value: Json, found: Found, isOfProperties = false): Json {
  if (typeof value === 'string') return exactDigits(value) ? value : hideInText(value, found)
  if (Array.isArray(value)) return hideInList(value, found)
  if (!isObject(value)) return value
  const isNamed = namesSecret(value)
  return mapMembers(value, (key, member) => {
    if (isNamed && /^val(ue)?$/i.test(key)) return hide(member, key, found)
    if (!isSecretName(key) || isOfText(value, key)) {
      return hideInJson(member, found, ofProperties.has(key))
    }
    // A property of a JSON Schema that is named like a secret, and described.
    return isOfProperties && isObject(member) ? hideInJson(member, found) : hide(member, key, found)
  })
}

/** Of headers, which are lists of names and values by turns in more than one library. */
function hideInList(list: readonly Json[], found: Found): Json {
  const isByTurns = list.length % 2 === 0 && list.every(item => typeof item === 'string')
  return list.map((item, index) => {
    const name = list[index - 1]
    return isByTurns && index % 2 === 1 && typeof name === 'string' && isSecretHeader(name)
      ? hide(item, name, found)
      : hideInJson(item, found)
  })
}

const ofProperties = new Set(['properties', 'patternProperties', '$defs', 'definitions'])

/** `{name: "authorization", value: "…"}` */
const namesSecret = ({ name, key, header }: JsonObject) =>
  [name, key, header].some(text => typeof text === 'string' && isSecretName(text))

/** A token of a text and how likely it was, in the answers of models. */
const isOfText = (holder: JsonObject, key: string) =>
  isTokenName(key) &&
  ['logprob', 'log_prob', 'prob', 'probability', 'score', 'bytes'].some(name =>
    Object.hasOwn(holder, name),
  )

/** What stands under the name of a secret, whatever it is. */
function hide(value: Json, name: string, found: Found): Json {
  if (typeof value === 'number') return isTokenName(name) ? value : hide(String(value), name, found)
  if (typeof value === 'string' && value !== '') {
    const digits = exactDigits(value)
    if (digits && isTokenName(name)) return value
    found(digits ?? value)
    return redacted
  }
  if (Array.isArray(value)) return value.map(item => hide(item, name, found))
  if (!isObject(value)) return value
  // What stands beside it, such as a kind, is no secret, and would be found everywhere.
  const foundWithin: Found = text => {
    if (text.length >= 12) found(text)
  }
  return mapMembers(value, (_key, member) => hide(member, name, foundWithin))
}

function silenceJson(value: Json, silence: (text: string) => string): Json {
  if (typeof value === 'string') {
    const digits = exactDigits(value)
    return digits && silence(digits) === digits ? value : silence(digits ?? value)
  }
  if (typeof value === 'number') return silence(String(value)) === redacted ? redacted : value
  if (Array.isArray(value)) return value.map(item => silenceJson(item, silence))
  if (!isObject(value)) return value
  return mapMembers(value, (_key, member) => silenceJson(member, silence), silence)
}

function mapMembers(
  value: JsonObject,
  change: (key: string, member: Json) => Json,
  rename = (key: string) => key,
): JsonObject {
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [rename(key), change(key, member)]),
  )
}
