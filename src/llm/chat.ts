import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { isObject, type Json, type JsonObject } from '../core/json.ts'
import { ChatFailed, type ModelCall } from './chat-failed.ts'
import { assembled, partsOf } from './streamed-answer.ts'
import {
  addressBelow,
  baseOf,
  type ModelServer,
  type ModelServers,
  openRequest,
} from './upstream.ts'

export interface Message {
  readonly role: 'system' | 'user' | 'assistant'
  readonly content: string
}

export interface ChatQuestion {
  server: ModelServer
  model: string
  messages: readonly Message[]
  /** The JSON Schema that the answer shall meet. */
  schema: Json
  /** Members of the request besides, such as `temperature`. */
  options: JsonObject
}

export interface ChatAnswer {
  text: string
  /** Whether it ends where the model came to its limit of length. */
  isCut: boolean
  call: ModelCall
}

export interface ChatOptions {
  /** How long the whole call may take. */
  timeoutMs: number
  signal: AbortSignal
  /** Told the answer as far as it has come. */
  onText(text: string): void
}

/**
 * Asks a model over a stream: Ollama's `/api/chat`, or `/chat/completions` of the OpenAI API.
 * @throws ChatFailed, also where `signal` calls it off
 */
export async function chat(
  servers: ModelServers,
  question: ChatQuestion,
  { timeoutMs, signal, onText }: ChatOptions,
): Promise<ChatAnswer> {
  const { server } = question
  const base = baseOf(servers, server)
  const path = server === 'ollama' ? '/api/chat' : '/chat/completions'
  const address = base === undefined ? undefined : addressBelow(base, path)
  if (!address) throw new ChatFailed(`${server.toUpperCase()}_URL is not set.`)
  const body = JSON.stringify(requestOf(question))
  const call: ModelCall = {
    model: question.model,
    endpoint: address.href,
    requestText: body,
    responseText: null,
    httpStatus: null,
    latencyMs: 0,
  }
  const timeout = AbortSignal.timeout(timeoutMs)
  const begun = performance.now()
  const answer = new AnswerReader(onText)
  let response: IncomingMessage | undefined
  let raw = ''
  try {
    const key = server === 'openai' ? servers.OPENAI_API_KEY : undefined
    const request = openRequest(address, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
        ...(key && { authorization: `Bearer ${key}` }),
      },
      signal: AbortSignal.any([signal, timeout]),
    })
    request.end(body)
    ;[response] = (await once(request, 'response')) as [IncomingMessage]
    const { statusCode = 0 } = response
    call.httpStatus = statusCode
    response.setEncoding('utf8')
    answer.isWhole = response.headers['content-type']?.startsWith('application/json') === true
    for await (const piece of response) {
      raw += piece
      if (raw.length > maxLength) throw new ChatFailed('The answer of the model is too long.')
      if (statusCode < 300) answer.add(piece)
      // Not every server ends the connection with its answer.
      if (answer.isOver) break
    }
    if (statusCode >= 300) throw refused(response, raw)
    return { text: answer.end(), isCut: answer.isCut, call }
  } catch (error) {
    throw failureOf(error, { signal, timeout, call, partial: answer.text, timeoutMs })
  } finally {
    call.latencyMs = Math.round(performance.now() - begun)
    if (response) call.responseText = recordedOf(raw, response)
  }
}

/** In characters. */
const maxLength = 8_000_000

function requestOf({ server, model, messages, schema, options }: ChatQuestion): Json {
  const asked = {
    ...options,
    model,
    messages: messages.map(message => ({ ...message })),
    stream: true,
  }
  if (server === 'ollama') return schema === null ? asked : { ...asked, format: schema }
  return {
    ...asked,
    stream_options: { include_usage: true },
    ...(schema !== null && {
      response_format: { type: 'json_schema', json_schema: { name: 'result', schema } },
    }),
  }
}

function recordedOf(raw: string, { headers }: IncomingMessage): string {
  const parts = partsOf(raw, headers['content-type'] ?? '')
  return parts ? assembled(parts) : raw
}

/** Whose answers a later try may change: https://www.rfc-editor.org/rfc/rfc9110#section-15 */
const isPassing = (status: number) => status === 408 || status === 429 || status >= 500

function refused({ statusCode = 0, headers }: IncomingMessage, raw: string): ChatFailed {
  const said = raw.trim().slice(0, 500)
  return new ChatFailed(`The model server answered ${statusCode}${said && `: ${said}`}`, {
    isPassing: isPassing(statusCode),
    retryAfterMs: retryAfter(headers['retry-after']),
  })
}

/** Seconds, or a date: https://www.rfc-editor.org/rfc/rfc9110#section-10.2.3 */
function retryAfter(header: string | undefined): number | undefined {
  if (header === undefined) return undefined
  const ms = /^\d+$/.test(header) ? Number(header) * 1_000 : Date.parse(header) - Date.now()
  return Number.isFinite(ms) ? Math.max(0, ms) : undefined
}

interface FailureOrigin {
  signal: AbortSignal
  timeout: AbortSignal
  timeoutMs: number
  call: ModelCall
  partial: string
}

function failureOf(error: unknown, origin: FailureOrigin): ChatFailed {
  const { signal, timeout, timeoutMs, call, partial } = origin
  if (signal.aborted) return new ChatFailed('The call was given up.', { call, partial })
  if (timeout.aborted) {
    const message = `The model took longer than ${timeoutMs / 1_000} seconds.`
    return new ChatFailed(message, { call, partial, isTimeout: true })
  }
  if (error instanceof ChatFailed) return error.with({ call, partial })
  const { message } = error as Error
  const what = call.httpStatus === null ? 'cannot be reached' : 'broke off'
  return new ChatFailed(`The model server ${what}: ${message}`, { call, partial, isPassing: true })
}

/** Reads the answer out of a stream, or out of one JSON where the server streams none. */
class AnswerReader {
  readonly #onText: (text: string) => void
  #rest = ''
  #isEnded = false
  text = ''
  isCut = false
  /** Whether nothing comes behind what has come. */
  isOver = false
  /** Whether it is one JSON, which can have several lines. */
  isWhole = false

  constructor(onText: (text: string) => void) {
    this.#onText = onText
  }

  add(piece: string): void {
    if (this.isWhole) {
      this.#rest += piece
      return
    }
    const lines = `${this.#rest}${piece}`.split('\n')
    this.#rest = lines.pop() ?? ''
    for (const line of lines) this.#read(line)
  }

  end(): string {
    this.#read(this.#rest)
    if (!this.#isEnded) {
      throw new ChatFailed('The model server broke off before the end of its answer.', {
        isPassing: true,
      })
    }
    return this.text
  }

  #read(line: string): void {
    // Names and comments of server-sent events say nothing here.
    const text = line.replace(/^data:/, '').trim()
    if (text === '' || /^(?:event|id|retry)?:/.test(text)) return
    if (text === '[DONE]') {
      this.#isEnded = true
      this.isOver = true
      return
    }
    const part = parsed(text)
    const failure = isObject(part.error) ? part.error.message : part.error
    if (failure !== undefined && failure !== null) {
      throw new ChatFailed(`The model server says: ${String(failure)}`, { isPassing: true })
    }
    this.#take(part)
  }

  #take(part: JsonObject): void {
    const [choice] = Array.isArray(part.choices) ? part.choices : [part]
    if (!isObject(choice)) return
    const message = choice.delta ?? choice.message
    if (isObject(message) && typeof message.content === 'string' && message.content !== '') {
      this.text += message.content
      this.#onText(this.text)
    }
    const reason = choice.finish_reason ?? part.done_reason
    if (part.done === true || choice.finish_reason != null) this.#isEnded = true
    if (reason === 'length') this.isCut = true
    if (part.done === true) this.isOver = true
  }
}

function parsed(text: string): JsonObject {
  let part: Json
  try {
    part = JSON.parse(text)
  } catch {
    throw new ChatFailed('The model server sent what is no JSON.', { isPassing: true })
  }
  if (!isObject(part)) throw new ChatFailed('The model server sent what is no answer.')
  return part
}
