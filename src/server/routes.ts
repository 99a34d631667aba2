import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Env } from '../core/env.ts'
import { forbidden } from '../core/errors.ts'
import { sendJson } from '../core/http-json.ts'
import type { Mount } from '../core/mount.ts'
import type { Authenticate } from '../identity/authenticate.ts'
import type { Cors } from './cors.ts'
import { sendDashboard } from './dashboard.ts'
import type { Graphiql } from './graphiql.ts'
import { toClientError } from './graphql-errors.ts'
import type { HttpRequest } from './graphql-http.ts'
import { statusOf } from './http-status.ts'
import type { Metrics } from './metrics.ts'
import type { Readiness } from './readiness.ts'

export interface RoutesOptions {
  env: Pick<Env, 'GRAPHIQL' | 'METRICS'>
  cors: Cors
  graphql: { handle(request: HttpRequest): Promise<void> }
  graphiql: Graphiql
  readiness: Readiness
  metrics: Metrics
  authenticate: Authenticate
  mounts: readonly Mount[]
  closing: AbortSignal
}

/** Which path is answered by what. */
export function createRoutes(options: RoutesOptions) {
  const { env, cors, graphql, graphiql, readiness, metrics, closing } = options

  async function ready(res: ServerResponse): Promise<void> {
    if (closing.aborted) return sendJson(res, 503, { status: 'shutting down' })
    const missing = await readiness.missing()
    if (missing.length > 0) return sendJson(res, 503, { status: 'not ready', missing })
    sendJson(res, 200, { status: 'ready' })
  }

  async function showMetrics({ req, res, ...origin }: HttpRequest): Promise<void> {
    if (env.METRICS === 'off') return notFound(res)
    if (env.METRICS === 'admin') {
      try {
        const viewer = await options.authenticate(req.headers.authorization)
        if (viewer?.kind !== 'ADMIN') throw forbidden('Metrics are for administrators.')
      } catch (error) {
        const { code, message } = toClientError(error, origin)
        return sendJson(res, statusOf(code), { error: message })
      }
    }
    res.setHeader('content-type', metrics.registry.contentType)
    res.end(await metrics.registry.metrics())
  }

  async function graphqlPath(request: HttpRequest): Promise<void> {
    const { req, res } = request
    cors.allow(req, res)
    res.setHeader('cache-control', 'no-store')
    if (req.method === 'OPTIONS') {
      res.statusCode = 204
      res.setHeader('allow', 'GET, POST, OPTIONS')
      res.end()
    } else if (env.GRAPHIQL && req.method === 'GET' && wantsPage(req)) {
      graphiql.page(res)
    } else {
      await graphql.handle(request)
    }
  }

  return async (request: HttpRequest): Promise<void> => {
    const { req, res } = request
    if (!URL.canParse(`http://${req.headers.host || 'localhost'}`)) {
      return sendJson(res, 400, { error: 'The Host header is not valid.' })
    }
    const path = pathOf(req)
    if (path === '/graphql' || path === '/graphql/') return graphqlPath(request)
    const mount = options.mounts.find(({ prefix }) => path.startsWith(prefix))
    if (mount) return mount.handle({ ...request, path })
    if (req.method !== 'GET' && req.method !== 'HEAD') return notFound(res)
    switch (path) {
      case '/':
        return env.GRAPHIQL ? redirect(res, '/graphql') : notFound(res)
      case '/health':
        return sendJson(res, 200, { status: 'ok' })
      case '/ready':
        return ready(res)
      case '/metrics':
        return showMetrics(request)
      case '/examples/dashboard':
      case '/examples/dashboard/':
        return env.GRAPHIQL ? sendDashboard(res) : notFound(res)
    }
    if (env.GRAPHIQL && (await graphiql.asset(path, req, res))) return
    notFound(res)
  }
}

export const pathOf = ({ url = '/' }: IncomingMessage) => url.replace(/[?#].*$/s, '')

const wantsPage = ({ headers }: IncomingMessage) => headers.accept?.includes('text/html') === true

const notFound = (res: ServerResponse) => sendJson(res, 404, { error: 'There is nothing here.' })

function redirect(res: ServerResponse, location: string): void {
  res.statusCode = 302
  res.setHeader('location', location)
  res.end()
}
