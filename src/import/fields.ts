import { isObject, type Json, type JsonObject } from '../core/json.ts'

/**
 * The members of a record, found under any of their spellings (`entityType`, `entity_type`) and
 * taken out one by one, so that what nobody asked for is left over and can be kept too.
 */
export class Fields {
  readonly #left = new Map<string, { key: string; value: Json }>()

  constructor(record: JsonObject) {
    for (const [key, value] of Object.entries(record)) {
      if (isEmpty(value)) continue
      const name = spelling(key)
      // Of two spellings of one field the second is not asked for, but not lost either.
      this.#left.set(this.#left.has(name) ? key : name, { key, value })
    }
  }

  has(...names: string[]): boolean {
    return names.some(name => this.#left.has(name))
  }

  /** The first of these members that there is; `names` are in lower case without underscores. */
  take(...names: string[]): Json | undefined {
    const name = names.find(each => this.#left.has(each))
    if (name === undefined) return undefined
    const member = this.#left.get(name)
    this.#left.delete(name)
    return member?.value
  }

  /** What is left, as lines `key: value`. */
  rest(): string[] {
    return [...this.#left.values()].map(({ key, value }) => `${key}: ${toText(value)}`)
  }
}

/** A leading underscore stays: `_type` and `type` are two members. */
const spelling = (key: string) => key.replace(/(?<=.)[_-]/g, '').toLowerCase()

const isEmpty = (value: Json) =>
  value === null || value === '' || (Array.isArray(value) && value.length === 0)

export const toText = (value: Json) => (typeof value === 'string' ? value : JSON.stringify(value))

/** A name may also be a number, or an object that has a name. */
export function toName(value: Json | undefined): string | undefined {
  if (typeof value === 'string') return value
  if (typeof value === 'number') return String(value)
  return isObject(value) ? toName(value.name) : undefined
}

/** Observations: each string a line; of an object its text, with the rest of it in brackets. */
export function toLines(value: Json | undefined): string[] {
  if (value === undefined || value === null) return []
  if (Array.isArray(value)) return value.flatMap(toLines)
  if (!isObject(value)) return [String(value)]
  const fields = new Fields(value)
  const text = fields.take('text', 'content', 'observation', 'value')
  const rest = fields.rest().join(', ')
  if (text === undefined) return rest === '' ? [] : [rest]
  return [rest === '' ? toText(text) : `${toText(text)} (${rest})`]
}
