import type { ServerResponse } from 'node:http'
import type { Json } from '../../src/core/json.ts'
import { bodyOf, sendJson, serveHttp } from './http-server.ts'

/** What a webhook was sent. */
export interface Started {
  path: string
  run: {
    id: string
    processCode: string
    attempt: number
    inputText: string | null
    inputPayload: Json
    requestedBy: string | null
    answer: Json
  }
  callback: { url: string; token: string }
}

export interface FakeN8n {
  url: string
  started: Started[]
  /** Answers the next webhooks; respond immediately, as a workflow is set up to. */
  webhook: (res: ServerResponse, started: Started) => void
  /** Answered by the API, by their id. */
  executions: Map<string, Json>
  stopped: string[]
  keys: Set<string | undefined>
  close(): Promise<void>
}

/** n8n's webhooks and its API for executions: https://docs.n8n.io/api/api-reference/ */
export async function startFakeN8n(): Promise<FakeN8n> {
  const http = await serveHttp(async (req, res) => {
    const { pathname } = new URL(req.url ?? '', 'http://n8n')
    const execution = /^\/api\/v1\/executions\/([^/]+)(\/stop)?$/.exec(pathname)
    if (pathname.startsWith('/webhook/')) {
      const body = JSON.parse(await bodyOf(req))
      const started = { ...body, path: pathname }
      n8n.started.push(started)
      n8n.webhook(res, started)
    } else if (execution?.[1]) {
      const id = decodeURIComponent(execution[1])
      n8n.keys.add(req.headers['x-n8n-api-key'] as string | undefined)
      if (execution[2]) n8n.stopped.push(id)
      const found = n8n.executions.get(id)
      answered(res, found ?? { message: 'Not Found' }, found === undefined ? 404 : 200)
    } else {
      res.writeHead(404).end()
    }
  })
  const n8n: FakeN8n = {
    ...http,
    started: [],
    webhook: res => answered(res, { message: 'Workflow was started' }),
    executions: new Map(),
    stopped: [],
    keys: new Set(),
  }
  return n8n
}

export const answered = (res: ServerResponse, body: Json, status = 200) =>
  sendJson(res, JSON.stringify(body), status)
