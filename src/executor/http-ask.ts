import { type Ask, AskError } from '../core/ask.ts'

interface Answer {
  data?: unknown
  errors?: { message: string; extensions?: { code?: string } }[]
}

const patienceMs = 30_000

/** The API of a server somewhere else. */
export const httpAsk =
  (url: string, token: string): Ask =>
  async (query, variables) => {
    const { data, errors } = await post(url, token, JSON.stringify({ query, variables }))
    if (errors?.[0]) throw new AskError(errors[0].message, errors[0].extensions?.code)
    return data as never
  }

async function post(url: string, token: string, body: string): Promise<Answer> {
  const headers = {
    authorization: `Bearer ${token}`,
    'content-type': 'application/json',
    accept: 'application/json',
  }
  try {
    const signal = AbortSignal.timeout(patienceMs)
    const response = await fetch(url, { method: 'POST', headers, body, signal })
    return (await response.json()) as Answer
  } catch (error) {
    const { cause, message } = error as Error
    throw new AskError(cause instanceof Error ? cause.message : message)
  }
}
