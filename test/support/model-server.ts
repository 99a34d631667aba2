import type { IncomingMessage, ServerResponse } from 'node:http'
import { bodyOf, serveHttp } from './http-server.ts'

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
  const http = await serveHttp(async (req, res) => {
    const { method = '', url = '', headers } = req
    const asked = { method, url, headers, body: await bodyOf(req) }
    server.asked.push(asked)
    res.on('close', () => {
      if (!res.writableFinished) server.brokenOff++
    })
    await server.answer(res, asked)
  })
  const server: ModelServer = {
    ...http,
    asked: [],
    answer: res => void res.writeHead(404).end(),
    brokenOff: 0,
  }
  return server
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
