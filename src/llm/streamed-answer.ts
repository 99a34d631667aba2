import { isObject, type Json, type JsonObject } from '../core/json.ts'
import { isJsonText, rewriteJson } from '../core/json-text.ts'

/**
 * The parts of an answer that came as a stream, as the texts of their JSON: the lines of NDJSON, or the
 * data of server-sent events. Undefined for what is no such stream.
 */
export function partsOf(body: string, contentType: string): string[] | undefined {
  const isEvents = contentType.startsWith('text/event-stream')
  if (!isEvents && !contentType.startsWith('application/x-ndjson')) return undefined
  const texts = isEvents ? dataOf(body) : body.split('\n')
  const parts = texts.map(text => text.trim()).filter(text => text !== '' && text !== '[DONE]')
  return parts.length > 0 && parts.every(isJsonText) ? parts : undefined
}

/** https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation */
const dataOf = (body: string) =>
  body.split(/\r\n\r\n|\n\n|\r\r/).map(event =>
    event
      .split(/\r\n|\n|\r/)
      .flatMap(line => /^data: ?(.*)$/s.exec(line)?.[1] ?? [])
      .join('\n'),
  )

/** One answer of the parts of a stream, as it would have come without one; numbers to the letter. */
export const assembled = (parts: readonly string[]): string =>
  rewriteJson(`[${parts.join(',')}]`, read => assemble(read as readonly Json[]))

function assemble(parts: readonly Json[]): Json {
  const objects = parts.filter(isObject)
  if (objects.length < parts.length) return parts
  const last = merged(objects)
  if (objects.some(({ choices }) => Array.isArray(choices))) return completionOf(last, objects)
  // Ollama's /api/chat and /api/generate.
  if (isObject(last.message)) {
    return { ...last, message: messageOf(objects.map(({ message }) => message).filter(isObject)) }
  }
  if (typeof last.response === 'string')
    return { ...last, ...joined(objects, ['response', 'thinking']) }
  return parts
}

const merged = (objects: readonly JsonObject[]): JsonObject => Object.assign({}, ...objects)

/** Texts that come in pieces. */
function joined(objects: readonly JsonObject[], keys: readonly string[]): JsonObject {
  const texts: Record<string, Json> = {}
  for (const key of keys) {
    const pieces = objects.map(object => object[key]).filter(piece => typeof piece === 'string')
    if (pieces.length > 0) texts[key] = pieces.join('')
  }
  return texts
}

const pieces = ['content', 'thinking', 'reasoning', 'reasoning_content', 'refusal']

function messageOf(deltas: readonly JsonObject[]): JsonObject {
  const calls = deltas.flatMap(({ tool_calls: calls }) => (Array.isArray(calls) ? calls : []))
  return {
    ...merged(deltas.map(withoutNulls)),
    ...joined(deltas, pieces),
    ...(calls.length > 0 && { tool_calls: toolCallsOf(calls) }),
  }
}

/** Chunks of a chat completion, or of a text completion, made one: each choice by its index. */
function completionOf(last: JsonObject, chunks: readonly JsonObject[]): JsonObject {
  const choices = chunks.flatMap(({ choices }) => (Array.isArray(choices) ? choices : []))
  return {
    ...last,
    ...(last.object === 'chat.completion.chunk' && { object: 'chat.completion' }),
    choices: groupedByIndex(choices.filter(isObject)).map(choiceOf),
  }
}

/** Some servers give every call the index 0: another id begins another one. */
function groupedByIndex(parts: readonly JsonObject[]): JsonObject[][] {
  const groups: JsonObject[][] = []
  const last = new Map<Json, JsonObject[]>()
  for (const part of parts) {
    const index = part.index ?? 0
    const group = last.get(index)
    if (group && (!part.id || !group[0]?.id || part.id === group[0].id)) {
      group.push(part)
    } else {
      const begun = [part]
      groups.push(begun)
      last.set(index, begun)
    }
  }
  return groups
}

function choiceOf(parts: readonly JsonObject[]): JsonObject {
  const deltas = parts.map(({ delta }) => delta).filter(delta => isObject(delta))
  const { delta: _delta, ...rest } = merged(parts.map(withoutNulls))
  return {
    ...rest,
    ...joined(parts, ['text']),
    ...(deltas.length > 0 && { message: messageOf(deltas) }),
  }
}

/** A later null says nothing new. */
const withoutNulls = (object: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(object).filter(([, value]) => value !== null))

/** OpenAI sends the arguments of a call in pieces that have its index; Ollama sends whole calls. */
function toolCallsOf(calls: readonly Json[]): Json[] {
  const isPiece = (call: Json): call is JsonObject => isObject(call) && call.index !== undefined
  const whole = calls.filter(call => !isPiece(call))
  const put = groupedByIndex(calls.filter(isPiece)).map(parts => {
    const functions = parts.map(part => part.function).filter(part => isObject(part))
    return {
      ...merged(parts.map(withoutNulls)),
      function: { ...merged(functions.map(withoutNulls)), ...joined(functions, ['arguments']) },
    }
  })
  return [...whole, ...put]
}
