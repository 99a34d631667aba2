import { once, setMaxListeners } from 'node:events'
import {
  createServer as createHttpServer,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http'
import { type AddressInfo, isIPv6, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { GraphQLSchema } from 'graphql'
import type { Database } from '../core/database.ts'
import type { Env } from '../core/env.ts'
import { sendJson } from '../core/http-json.ts'
import type { Log } from '../core/log.ts'
import type { Mount } from '../core/mount.ts'
import type { ChangeFeed } from '../events/feed.ts'
import type { Authenticate } from '../identity/authenticate.ts'
import { Cors } from './cors.ts'
import { Graphiql } from './graphiql.ts'
import { toClientError } from './graphql-errors.ts'
import { createGraphqlHttp } from './graphql-http.ts'
import { createGraphqlSocket } from './graphql-socket.ts'
import { ignoreUpgrade, refuseUpgrade } from './http-upgrade.ts'
import { Metrics } from './metrics.ts'
import { Operations } from './operation.ts'
import { Readiness, type ReadinessCheck } from './readiness.ts'
import { requestIdOf } from './request-id.ts'
import { createRoutes, pathOf } from './routes.ts'
import { SocketServer } from './socket-server.ts'

export interface ServerOptions {
  schema: GraphQLSchema
  env: Env
  log: Log
  db: Database
  feed: Pick<ChangeFeed, 'position' | 'follow' | 'watchAccess'>
  authenticate: Authenticate
  readiness: readonly ReadinessCheck[]
  /** What the port answers besides. */
  mounts?: readonly Mount[]
}

export interface Server {
  listen(): Promise<{ url: string; port: number }>
  /**
   * Takes nothing new, lets what runs finish, ends streams with a code, and cuts what is left after
   * SHUTDOWN_TIMEOUT_MS. Can be called again, and then waits for the same end.
   */
  close(): Promise<void>
}

/** One port for everything: GraphQL over HTTP, SSE and WebSocket, GraphiQL, health and metrics. */
export function createServer(options: ServerOptions): Server {
  const { schema, env, log, db, feed, authenticate } = options
  const closing = new AbortController()
  // Every open stream listens for the end.
  setMaxListeners(0, closing.signal)

  const metrics = new Metrics(db.pool)
  const graphql = createGraphqlHttp({ schema, env, authenticate, operations: () => operations })
  const { engine } = graphql
  const operations = new Operations({
    schema,
    env,
    db,
    metrics,
    feed,
    authenticate,
    engine,
    closing: closing.signal,
  })
  const cors = new Cors(env.CORS_ORIGINS)
  const route = createRoutes({
    env,
    cors,
    graphql,
    graphiql: new Graphiql(),
    readiness: new Readiness(options.readiness, log),
    metrics,
    authenticate,
    mounts: options.mounts ?? [],
    closing: closing.signal,
  })
  const protocol = createGraphqlSocket({ env, operations, authenticate, feed })
  const sockets = new SocketServer({ env, protocol, metrics })

  const http = createHttpServer(
    {
      headersTimeout: Math.min(env.HEADERS_TIMEOUT_MS, env.REQUEST_TIMEOUT_MS),
      requestTimeout: env.REQUEST_TIMEOUT_MS,
      // Longer than load balancers keep theirs, or a request could meet a connection that closes.
      keepAliveTimeout: 75_000,
      // Time-outs are enforced at these intervals only.
      connectionsCheckingInterval: Math.min(1_000, env.HEADERS_TIMEOUT_MS),
    },
    (req, res) => void answer(req, res),
  )
  http.maxConnections = env.MAX_CONNECTIONS
  http.on('upgrade', upgrade)
  const responses = new Set<ServerResponse>()
  // Browsers and HTTP clients open connections in advance.
  const silent = new Set<Socket>()
  http.on('connection', socket => {
    silent.add(socket)
    socket.once('close', () => silent.delete(socket))
  })

  const requestOf = (req: IncomingMessage, idName: 'requestId' | 'socketId') => {
    const requestId = requestIdOf(req)
    const address = req.socket.remoteAddress ?? ''
    return { requestId, address, since: feed.position, log: log.child({ [idName]: requestId }) }
  }

  async function answer(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const request = { req, res, ...requestOf(req, 'requestId') }
    silent.delete(req.socket)
    responses.add(res)
    res.once('close', () => {
      responses.delete(res)
      if (closing.signal.aborted) setImmediate(() => http.closeIdleConnections())
    })
    res.setHeader('x-request-id', request.requestId)
    res.setHeader('x-content-type-options', 'nosniff')
    if (closing.signal.aborted) res.setHeader('connection', 'close')
    try {
      await route(request)
    } catch (error) {
      const { message } = toClientError(error, request)
      if (res.headersSent) res.destroy()
      else sendJson(res, 500, { error: message, requestId: request.requestId })
    }
    request.log.debug({ method: req.method, path: pathOf(req), status: res.statusCode }, 'answered')
  }

  function upgrade(req: IncomingMessage, stream: Duplex, head: Buffer): void {
    silent.delete(req.socket)
    // Each operation on a socket is a request with an id of its own.
    const request = requestOf(req, 'socketId')
    stream.on('error', error => request.log.debug({ err: error }, 'an upgrade failed'))
    const isForSocket = req.headers.upgrade?.toLowerCase() === 'websocket'
    if (!isForSocket) ignoreUpgrade(http, req, stream, head)
    else if (pathOf(req) !== '/graphql') refuseUpgrade(stream, 404, 'There is nothing here.')
    else if (closing.signal.aborted) refuseUpgrade(stream, 503, 'The server is shutting down.')
    else if (!cors.allowsSocket(req)) refuseUpgrade(stream, 403, 'CORS_ORIGINS lacks this origin.')
    else sockets.accept(req, stream, head, request)
  }

  async function shutDown(): Promise<void> {
    closing.abort()
    const left = sockets.leave()
    for (const res of responses) if (!res.headersSent) res.setHeader('connection', 'close')
    const cut = setTimeout(() => {
      sockets.cut()
      http.closeAllConnections()
    }, env.SHUTDOWN_TIMEOUT_MS)
    // Node takes a connection without a request for a busy one.
    const hush = setTimeout(() => {
      for (const socket of silent) if (socket.bytesRead === 0) socket.destroy()
    }, silenceMs)
    await Promise.all([left, new Promise<void>(resolve => http.close(() => resolve()))])
    clearTimeout(hush)
    clearTimeout(cut)
  }

  let closed: Promise<void> | undefined
  return {
    async listen() {
      http.listen(env.PORT, env.HOST)
      await once(http, 'listening')
      http.on('error', error => log.error({ err: error }, 'the server failed'))
      const { port } = http.address() as AddressInfo
      return { url: `http://${hostOf(env.HOST)}:${port}/graphql`, port }
    },
    close() {
      closed ??= shutDown()
      return closed
    },
  }
}

const silenceMs = 200

/** The host to write into a link: the address of all interfaces is none to connect to. */
function hostOf(host: string): string {
  if (host === '0.0.0.0' || host === '::') return 'localhost'
  return isIPv6(host) ? `[${host}]` : host
}
