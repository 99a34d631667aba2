import { isObject, type Json } from '../core/json.ts'

export interface TokenCounts {
  prompt: number | null
  completion: number | null
}

/** How many tokens a call took, as the response of the known kinds of servers says. */
export function countTokens(response: Json | undefined): TokenCounts {
  if (!isObject(response)) return { prompt: null, completion: null }
  const usage = isObject(response.usage) ? response.usage : {}
  return {
    // OpenAI's chat completions; Anthropic's messages and OpenAI's responses; Ollama.
    prompt: firstCount(usage.prompt_tokens, usage.input_tokens, response.prompt_eval_count),
    completion: firstCount(usage.completion_tokens, usage.output_tokens, response.eval_count),
  }
}

const maxInt = 2 ** 31 - 1

const firstCount = (...values: (Json | undefined)[]): number | null =>
  values.find(
    (value): value is number =>
      Number.isInteger(value) && Number(value) >= 0 && Number(value) <= maxInt,
  ) ?? null
