import type { Json, JsonObject } from '../core/json.ts'
import { isObject } from '../core/json.ts'
import type { ModelServer, ModelServers } from '../llm/upstream.ts'

/** Which model on which server. */
export interface ModelChoice {
  server: ModelServer
  model: string
}

/** What a process says of how it is carried out, in its metadata. */
export interface ProcessSettings {
  model: ModelChoice
  fallback: ModelChoice | null
  timeoutMs: number
  /** Members of every request besides, such as `temperature`. */
  options: JsonObject
}

const maxSeconds = 86_400

/** @throws Error that says in a sentence what is wrong with the process */
export function readSettings(
  process: { defaultModel: string | null; metadata: JsonObject },
  servers: ModelServers,
): ProcessSettings {
  const { defaultModel, metadata } = process
  const { provider, fallbackModel, callSeconds, temperature, options } = metadata
  if (defaultModel === null) throw new Error('The process has no default model.')
  if (callSeconds !== undefined && !isDuration(callSeconds)) {
    throw new Error(`metadata.callSeconds must be a number of seconds up to ${maxSeconds}.`)
  }
  if (fallbackModel != null && typeof fallbackModel !== 'string') {
    throw new Error('metadata.fallbackModel must be the name of a model.')
  }
  return {
    model: chooseModel(defaultModel, provider, servers),
    fallback: fallbackModel == null ? null : chooseModel(fallbackModel, provider, servers),
    timeoutMs: callSeconds === undefined ? servers.LLM_TIMEOUT_MS : callSeconds * 1_000,
    options: {
      ...(temperature !== undefined && { temperature }),
      ...(isObject(options) && options),
    },
  }
}

const isDuration = (value: Json): value is number =>
  typeof value === 'number' && value > 0 && value <= maxSeconds

/** By a prefix such as `openai:`, by `metadata.provider`, or the server that is configured, Ollama first. */
function chooseModel(
  name: string,
  provider: Json | undefined,
  { OLLAMA_URL }: ModelServers,
): ModelChoice {
  const prefixed = /^(ollama|openai):(.+)$/s.exec(name)
  if (prefixed?.[2]) return { server: readServer(prefixed[1]), model: prefixed[2] }
  if (provider != null) return { server: readServer(provider), model: name }
  return { server: OLLAMA_URL === undefined ? 'openai' : 'ollama', model: name }
}

function readServer(name: Json | undefined): ModelServer {
  if (name === 'ollama' || name === 'openai') return name
  throw new Error('metadata.provider must be ollama or openai.')
}
