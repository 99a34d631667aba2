import type { ServerResponse } from 'node:http'
import type { ExecutionResult } from 'graphql'
import type { FetchAPI } from 'graphql-yoga'
import { eventIdOf } from './event-id.ts'

/*
 * Subscriptions as server-sent events, in the distinct connections mode of graphql-sse:
 * https://github.com/enisdenjo/graphql-sse/blob/master/PROTOCOL.md
 */

const mediaType = 'text/event-stream'
const pingMs = 12_000
const ping = ':\n\n'

/** Whether a client that sends this header reads server-sent events, which are always UTF-8. */
export function acceptsEvents(accept: string | undefined): boolean {
  return (accept ?? '').split(',').some(range => {
    const [type, ...parameters] = range.toLowerCase().replaceAll(/\s/g, '').split(';')
    const charset = parameters.find(parameter => parameter.startsWith('charset='))
    return type === mediaType && (charset === undefined || charset === 'charset=utf-8')
  })
}

const sources = new WeakMap<Response, AsyncIterable<ExecutionResult>>()

/** A response without a body: `sendEvents` takes the place of that, for it needs no copy in between. */
export function eventResponse(
  results: AsyncIterable<ExecutionResult>,
  { Response }: FetchAPI,
): Response {
  const headers = { 'content-type': mediaType, 'cache-control': 'no-cache' }
  const response = new Response(null, { headers })
  sources.set(response, results)
  return response
}

export const resultsBehind = (response: Response) => sources.get(response)

/**
 * Asks for a result only when there is room for it, so that a reader who stops holds up nothing but
 * its own stream, and gives the source up in the moment the reader goes.
 */
export async function sendEvents(
  results: AsyncIterable<ExecutionResult>,
  to: ServerResponse,
): Promise<void> {
  const source = results[Symbol.asyncIterator]()
  const leave = () => void source.return?.()
  if (to.destroyed) return leave()
  to.once('close', leave)
  // Some browsers say that a stream is open only when something has come.
  to.write(ping)
  const pings = setInterval(() => {
    if (to.writableLength === 0) to.write(ping)
  }, pingMs)
  try {
    for (;;) {
      const { done, value } = await source.next()
      if (done || to.destroyed) break
      if (!to.write(eventOf(value))) await roomIn(to)
    }
  } finally {
    clearInterval(pings)
  }
  // Without the empty data no listener of an EventSource would hear of it.
  to.end('event: complete\ndata:\n\n')
}

function eventOf(result: ExecutionResult): string {
  const id = eventIdOf(result)
  const idLine = id === undefined ? '' : `id: ${id}\n`
  return `event: next\n${idLine}data: ${JSON.stringify(result)}\n\n`
}

function roomIn(response: ServerResponse): Promise<void> {
  return new Promise(resolve => {
    const proceed = () => {
      response.off('drain', proceed).off('close', proceed)
      resolve()
    }
    response.on('drain', proceed).on('close', proceed)
  })
}
