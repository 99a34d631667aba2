import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http'
import { Captured } from './captured.ts'
import { responseHeaders } from './pass-through-headers.ts'
import { openRequest } from './upstream.ts'

/** What went by between a client and a model server. */
export interface Passed {
  request: Captured
  response: Captured
  /** Null where nothing was answered. */
  answer: Pick<IncomingMessage, 'statusCode' | 'headers'> | null
  /** Why there is no whole answer, or the answer is one of failure. */
  errorText: string | null
  latencyMs: number
}

export interface ForwardOptions {
  address: URL
  headers: OutgoingHttpHeaders
  /** How long both sides may be silent. */
  silenceMs: number
  /** Answers in the place of the model server. */
  refuse(status: number, message: string): void
}

/** Hands a request on and its answer back, as they come. Resolves when the answer has ended, however. */
export function forward(
  req: IncomingMessage,
  res: ServerResponse,
  { address, headers, silenceMs, refuse }: ForwardOptions,
): Promise<Passed> {
  const begun = performance.now()
  const request = new Captured(4 << 20)
  // Streams are many times as long as what they say.
  const response = new Captured(16 << 20)
  return new Promise(resolve => {
    let answer: IncomingMessage | null = null
    let isEnded = false
    const end = (errorText: string | null) => {
      if (isEnded) return
      isEnded = true
      resolve({ request, response, answer, errorText, latencyMs: performance.now() - begun })
    }
    const fail = (status: number, message: string) => {
      if (isEnded) return
      end(message)
      upstream.destroy()
      // An answer that has begun cannot say any more that it is none.
      if (res.headersSent) res.destroy()
      else refuse(status, message)
    }
    const upstream = openRequest(address, { method: req.method, headers })
    upstream.setTimeout(silenceMs, () => fail(504, 'The model server was silent for too long.'))
    upstream.on('error', error => {
      if (!answer) fail(502, `The model server cannot be reached: ${error.message}`)
    })
    upstream.on('response', message => {
      answer = message
      const { statusCode = 502, statusMessage } = message
      message.on('data', (chunk: Buffer) => response.add(chunk))
      message.on('error', () => {})
      message.on('close', () => {
        if (!message.complete) fail(502, 'The model server broke off.')
        else end(statusCode < 400 ? null : `The model server answered ${statusCode}.`)
      })
      res.writeHead(statusCode, statusMessage, responseHeaders(message.headers))
      // The first part of a stream may be long in coming.
      res.flushHeaders()
      message.pipe(res)
    })
    res.on('close', () => {
      if (res.writableFinished) return
      end('The client hung up.')
      upstream.destroy()
    })
    req.on('data', (chunk: Buffer) => request.add(chunk))
    req.pipe(upstream)
  })
}
