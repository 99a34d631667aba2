import { onTestFinished } from 'vitest'
import type { TypedDocumentString } from '../generated/graphql.ts'
import type { Client, GraphqlError } from './client.ts'
import { RawEventSource } from './raw-events.ts'
import { RawSocket } from './raw-socket.ts'

/** What a subscription brings: data, the errors that ended it, or null at its end. */
type Watched<Data> = { data: Data } | { errors: GraphqlError[] } | null

/** A subscription that runs, over a WebSocket or as server-sent events. */
export interface Watch<Data> {
  /** The data of the next event; fails at an error and at the end. */
  next(): Promise<Data>
  /** The data of so many next events. */
  take(count: number): Promise<Data[]>
  /** The error that ends the subscription; events before it fail the test. */
  refusal(): Promise<GraphqlError>
  /** Cuts the connection, without a word. */
  cut(): void
}

type Over = 'ws' | 'sse'

interface WatchOptions {
  over?: Over
  lastEventId?: string
}

/** Subscribes, and resolves when the server has the subscription in hand. */
export async function watch<Data, Variables>(
  client: Pick<Client, 'url' | 'token'>,
  operation: TypedDocumentString<Data, Variables>,
  variables: NoInfer<Variables>,
  { over = 'ws', lastEventId }: WatchOptions = {},
): Promise<Watch<Data>> {
  const request = { query: operation.toString(), variables }
  const { events, cut } =
    over === 'ws'
      ? await overSocket<Data>(client, request)
      : await overEvents<Data>(client, request, lastEventId)
  onTestFinished(cut)
  async function next(): Promise<Data> {
    const event = await events()
    if (event === null) throw new Error('the subscription ended')
    if ('errors' in event) throw new Error(JSON.stringify(event.errors))
    if (event.data === undefined) throw new Error(JSON.stringify(event))
    return event.data
  }
  return {
    next,
    async take(count) {
      const taken: Data[] = []
      while (taken.length < count) taken.push(await next())
      return taken
    },
    async refusal() {
      const event = await events()
      const error = event && 'errors' in event ? event.errors[0] : undefined
      if (!error) throw new Error(`instead of an error came ${JSON.stringify(event)}`)
      return error
    },
    cut,
  }
}

async function overSocket<Data>({ url, token }: Pick<Client, 'url' | 'token'>, request: object) {
  const socket = await RawSocket.ready(url.replace('http', 'ws'), {
    authorization: `Bearer ${token}`,
  })
  socket.send({ type: 'subscribe', id: '1', payload: request })
  // What comes after it on the same socket is answered later than the subscription is taken.
  socket.send({ type: 'ping' })
  await socket.next()
  return {
    cut: () => socket.ws.terminate(),
    async events(): Promise<Watched<Data>> {
      const { type, payload } = await socket.next()
      if (type === 'complete') return null
      if (type === 'error') return { errors: payload as GraphqlError[] }
      return payload as Watched<Data>
    },
  }
}

async function overEvents<Data>(
  { url, token }: Pick<Client, 'url' | 'token'>,
  request: object,
  lastEventId: string | undefined,
) {
  const headers = { authorization: `Bearer ${token}` }
  const source = await RawEventSource.open(url, headers, lastEventId, JSON.stringify(request))
  return {
    cut: () => source.close(),
    async events(): Promise<Watched<Data>> {
      const event = await source.next()
      return event?.type === 'next' ? JSON.parse(event.data) : null
    },
  }
}
