import { once } from 'node:events'
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
} from 'node:http'
import type { AddressInfo } from 'node:net'

/** An HTTP server in the place of somebody else's. */
export async function serveHttp(
  listener: RequestListener,
): Promise<{ url: string; close(): Promise<void> }> {
  const http = createServer(listener)
  http.listen(0, '127.0.0.1')
  await once(http, 'listening')
  return {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}`,
    async close() {
      http.close()
      http.closeAllConnections()
      await once(http, 'close')
    },
  }
}

export async function bodyOf(req: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of req) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}

/** Answers a text of JSON, to the letter. */
export function sendJson(res: ServerResponse, text: string, status = 200): void {
  res.writeHead(status, { 'content-type': 'application/json' })
  res.end(text)
}
