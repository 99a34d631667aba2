import type { GraphqlError } from './client.ts'
import type { ToyServer } from './raw-server.ts'
import { RawSocket } from './raw-socket.ts'

export interface Result {
  data?: Record<string, unknown> | null
  errors?: GraphqlError[]
}

interface RawRequest {
  query: string
  variables?: Record<string, unknown> | null
  operationName?: string | null
}

type Endpoint = Pick<ToyServer, 'url' | 'wsUrl'>

/** Sends an operation over one transport and collects its results until its end. */
export type Ask = (server: Endpoint, request: RawRequest, token?: string) => Promise<Result[]>

export const post = (
  server: Pick<ToyServer, 'url'>,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<Response> =>
  fetch(server.url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })

const bearer = (token: string | undefined): Record<string, string> =>
  token ? { authorization: `Bearer ${token}` } : {}

const overHttp: Ask = async (server, request, token) => {
  const response = await post(server, request, bearer(token))
  return [(await response.json()) as Result]
}

const overGet: Ask = async (server, { query, variables, operationName }, token) => {
  const url = new URL(server.url)
  url.searchParams.set('query', query)
  if (variables) url.searchParams.set('variables', JSON.stringify(variables))
  if (operationName) url.searchParams.set('operationName', operationName)
  const response = await fetch(url, { headers: bearer(token) })
  return [(await response.json()) as Result]
}

const overSse: Ask = async (server, request, token) => {
  const headers = { accept: 'text/event-stream', ...bearer(token) }
  const response = await post(server, request, headers)
  return readEvents(await response.text())
}

/** The results among server-sent events; fails when the last event is not `complete`. */
export function readEvents(text: string): Result[] {
  const events = text.split('\n\n').filter(event => event.startsWith('event:'))
  if (!events.pop()?.startsWith('event: complete')) throw new Error('the stream did not complete')
  return events.map(event => JSON.parse(event.slice(event.indexOf('data: ') + 6)))
}

const overWebSocket: Ask = async (server, request, token) => {
  const socket = await RawSocket.ready(server.wsUrl, bearer(token))
  socket.send({ type: 'subscribe', id: '1', payload: request })
  const results: Result[] = []
  for (;;) {
    const { type, payload } = await socket.next()
    if (type === 'complete') break
    if (type === 'error') {
      results.push({ errors: payload as GraphqlError[] })
      break
    }
    results.push(payload as Result)
  }
  socket.ws.close()
  return results
}

export const transports: [name: string, ask: Ask][] = [
  ['HTTP', overHttp],
  ['SSE', overSse],
  ['WebSocket', overWebSocket],
]

export const transportsOfQueries: [name: string, ask: Ask][] = [['GET', overGet], ...transports]
