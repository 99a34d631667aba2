import { checkText, isStorable, replaceUnstorable } from './text.ts'

/** What JSON can say. */
export type Json =
  | string
  | number
  | boolean
  | null
  | readonly Json[]
  | { readonly [key: string]: Json }

export type JsonObject = { readonly [key: string]: Json }

export const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Every string in a value and every key, at any depth and in no order. */
function* textsOf(value: Json): Generator<string> {
  const rest = [value]
  for (let next = rest.pop(); next !== undefined; next = rest.pop()) {
    if (typeof next === 'string') yield next
    else if (Array.isArray(next)) for (const item of next) rest.push(item)
    else if (next !== null && typeof next === 'object') {
      for (const [key, member] of Object.entries(next)) {
        yield key
        rest.push(member)
      }
    }
  }
}

/**
 * A value that a person or an agent wrote, kept to the letter.
 * @throws BAD_USER_INPUT for U+0000 and lone surrogates in its strings and keys
 */
export function checkJson<Value extends Json>(value: Value, field: string): Value {
  for (const text of textsOf(value)) checkText(text, field, Number.POSITIVE_INFINITY)
  return value
}

/**
 * A machine's value, which must be recorded whatever it holds: U+FFFD stands for what PostgreSQL
 * cannot keep, in strings and in keys. Keys that this would make alike are numbered.
 */
export function replaceUnstorableJson(value: Json): { value: Json; replaced: boolean } {
  for (const text of textsOf(value)) {
    if (!isStorable(text)) return { value: withoutUnstorable(value), replaced: true }
  }
  return { value, replaced: false }
}

/** Works off a list instead of calling itself: a value may nest deeper than the stack allows. */
function withoutUnstorable(root: Json): Json {
  const unfilled: [from: Json & object, into: Json & object][] = []
  const copy = (value: Json): Json => {
    if (typeof value === 'string') return replaceUnstorable(value).text
    if (value === null || typeof value !== 'object') return value
    const into = Array.isArray(value) ? [] : {}
    unfilled.push([value, into])
    return into
  }
  const result = copy(root)
  for (let next = unfilled.pop(); next; next = unfilled.pop()) {
    const [from, into] = next
    if (Array.isArray(from)) for (const item of from) (into as Json[]).push(copy(item))
    else fill(into, from as JsonObject, copy)
  }
  return result
}

function fill(into: object, from: JsonObject, copy: (value: Json) => Json): void {
  const taken = new Set(Object.keys(from).filter(isStorable))
  const alike = new Map<string, number>()
  for (const [key, member] of Object.entries(from)) {
    const clean = replaceUnstorable(key)
    let name = clean.text
    while (clean.replaced && taken.has(name)) {
      const number = (alike.get(clean.text) ?? 1) + 1
      alike.set(clean.text, number)
      name = `${clean.text} (${number})`
    }
    taken.add(name)
    // An assignment to __proto__ would be no key.
    Object.defineProperty(into, name, {
      value: copy(member),
      enumerable: true,
      writable: true,
      configurable: true,
    })
  }
}

/**
 * Whether a JSON value has objects or lists inside one another deeper than `max`. It does not
 * recurse, since what it guards against is a value that exhausts the stack.
 */
export function nestsDeeper(value: unknown, max: number): boolean {
  let level: unknown[] = [value]
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > max) return true
    const next: unknown[] = []
    for (const item of level) {
      if (item === null || typeof item !== 'object') continue
      for (const child of Object.values(item)) {
        if (child !== null && typeof child === 'object') next.push(child)
      }
    }
    level = next
  }
  return false
}
