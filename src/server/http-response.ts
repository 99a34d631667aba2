import type { ServerResponse } from 'node:http'

/** Sends what Yoga answers. A stream that nobody reads any more is cancelled at once. */
export async function sendResponse(response: Response, to: ServerResponse): Promise<void> {
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream')
  response.headers.forEach((value, name) => {
    if (name !== 'content-encoding' && name !== 'connection') to.setHeader(name, value)
  })
  to.statusCode = response.status
  if (!isStream) {
    to.end(await response.text())
    return
  }
  // nginx would keep events back until its buffer is full.
  to.setHeader('x-accel-buffering', 'no')
  const reader = (response.body as ReadableStream<Uint8Array>).getReader()
  const cancel = () => void reader.cancel().catch(() => {})
  if (to.destroyed) return cancel()
  to.once('close', cancel)
  for (;;) {
    const { done, value } = await reader.read()
    if (done || to.destroyed) break
    if (!to.write(value)) await roomIn(to)
  }
  to.end()
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

export function sendJson(to: ServerResponse, status: number, body: unknown): void {
  to.statusCode = status
  to.setHeader('content-type', 'application/json; charset=utf-8')
  to.end(JSON.stringify(body))
}
