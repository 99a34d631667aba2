import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A request that has come, with its whole body. */
interface Asked {
  method: string
  url: string
  headers: IncomingMessage['headers']
  body: string
}

export interface ModelServer {
  url: string
  asked: Asked[]
  /** Answers the next requests; where it is left out, 404. */
  answer: (res: ServerResponse, asked: Asked) => void | Promise<void>
  /** How many requests were broken off by their client. */
  brokenOff: number
  close(): Promise<void>
}

/** An HTTP server in the place of one with models, which answers as each test says. */
export async function startModelServer(): Promise<ModelServer> {
  const http = createServer(async (req, res) => {
    const chunks: Buffer[] = []
    for await (const chunk of req) chunks.push(chunk)
    const { method = '', url = '', headers } = req
    const asked = { method, url, headers, body: Buffer.concat(chunks).toString() }
    server.asked.push(asked)
    res.on('close', () => {
      if (!res.writableFinished) server.brokenOff++
    })
    await server.answer(res, asked)
  })
  http.listen(0, '127.0.0.1')
  await once(http, 'listening')
  const server: ModelServer = {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}`,
    asked: [],
    answer: res => void res.writeHead(404).end(),
    brokenOff: 0,
    async close() {
      http.close()
      http.closeAllConnections()
      await once(http, 'close')
    },
  }
  return server
}

export function sendJson(res: ServerResponse, text: string, status = 200): void {
  res.writeHead(status, { 'content-type': 'application/json' })
  res.end(text)
}

/** Lines as Ollama streams them. */
export function sendLines(res: ServerResponse, ...lines: string[]): void {
  res.writeHead(200, { 'content-type': 'application/x-ndjson' })
  for (const line of lines) res.write(`${line}\n`)
  res.end()
}

/** Server-sent events as the OpenAI API streams them. */
export function sendEvents(res: ServerResponse, ...data: string[]): void {
  res.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' })
  for (const each of [...data, '[DONE]']) res.write(`data: ${each}\n\n`)
  res.end()
}
