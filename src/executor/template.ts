import { isObject, type Json, type JsonObject } from '../core/json.ts'

/** What a prompt's variables stand for. */
export interface TemplateValues {
  inputText: string | null
  inputPayload: Json
  metadata: JsonObject
}

export type Rendered = { prompt: string } | { missing: string }

const variable = /\{\{\s*([\p{L}_][\p{L}\p{N}_-]*(?:\.[\p{L}\p{N}_-]+)*)\s*\}\}/gu

/**
 * Puts values for the `{{variables}}` of a template: `input_text`, the members of the input payload by
 * their path, and what is not there, of the process's metadata, which `metadata.` says outright. Text is
 * put as it is, null as nothing, and anything else as JSON. A value is not looked through for variables.
 */
export function render(template: string, values: TemplateValues): Rendered {
  let missing: string | undefined
  const prompt = template.replace(variable, (_variable, name: string) => {
    const value = named(name, values)
    if (value === undefined) missing ??= name
    if (typeof value === 'string') return value
    return value === null ? '' : JSON.stringify(value)
  })
  return missing === undefined ? { prompt } : { missing }
}

function named(name: string, values: TemplateValues): Json | undefined {
  const { inputText, inputPayload, metadata } = values
  if (name === 'input_text' && inputText !== null) return inputText
  const path = name.split('.')
  const given = member(inputPayload, path)
  if (given !== undefined) return given
  if (name === 'input_payload') return inputPayload
  return member(metadata, path[0] === 'metadata' ? path.slice(1) : path)
}

function member(value: Json, path: readonly string[]): Json | undefined {
  let found: Json | undefined = value
  for (const key of path) {
    if (Array.isArray(found) && /^\d{1,9}$/.test(key)) found = found[Number(key)]
    else if (isObject(found) && Object.hasOwn(found, key)) found = found[key]
    else return undefined
  }
  return found
}
