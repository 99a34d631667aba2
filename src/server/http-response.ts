import type { ServerResponse } from 'node:http'
import { resultsBehind, sendEvents } from './event-stream.ts'

/** Sends what Yoga answers. */
export async function sendResponse(response: Response, to: ServerResponse): Promise<void> {
  response.headers.forEach((value, name) => {
    if (name !== 'content-encoding' && name !== 'connection') to.setHeader(name, value)
  })
  to.statusCode = response.status
  const events = resultsBehind(response)
  if (!events) {
    to.end(await response.text())
    return
  }
  // nginx would keep events back until its buffer is full.
  to.setHeader('x-accel-buffering', 'no')
  await sendEvents(events, to)
}
