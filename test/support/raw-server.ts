import { Writable } from 'node:stream'
import type { GraphQLSchema } from 'graphql'
import pino from 'pino'
import { onTestFinished } from 'vitest'
import type { Viewer } from '../../src/core/context.ts'
import type { Database } from '../../src/core/database.ts'
import { readEnv } from '../../src/core/env.ts'
import { unauthenticated } from '../../src/core/errors.ts'
import type { ReadinessCheck } from '../../src/server/readiness.ts'
import { createServer, type Server } from '../../src/server/server.ts'
import { noFeed } from './no-feed.ts'
import { toySchema, Work } from './raw-schema.ts'

export interface ToyServer {
  /** Of the GraphQL endpoint. */
  url: string
  origin: string
  wsUrl: string
  port: number
  server: Server
  work: Work
  /** Streams whose source is open. */
  openStreams(): number
  /** What the server wrote to its log, a line of JSON each. */
  logged(): string
  /** Who a token stands for; a test may add and remove. */
  tokens: Map<string, Viewer>
}

export interface ToyServerOptions {
  env?: NodeJS.ProcessEnv
  schema?: GraphQLSchema
  readiness?: ReadinessCheck[]
}

export const viewer = (login: string, more: Partial<Viewer> = {}): Viewer => ({
  kind: 'USER',
  userId: `id of ${login}`,
  login,
  groups: [],
  llmId: null,
  tokenId: null,
  expiresAt: null,
  ...more,
})

/** A server with the toy schema and without a database, on a free port, closed with the test. */
export async function startToyServer(options: ToyServerOptions = {}): Promise<ToyServer> {
  const work = new Work()
  const toy = toySchema(work)
  let logged = ''
  const sink = new Writable({
    write(chunk, _encoding, done) {
      logged += chunk
      done()
    },
  })
  const tokens = new Map([
    ['ada', viewer('ada')],
    ['bob', viewer('bob')],
    ['root', viewer('root', { kind: 'ADMIN' })],
  ])
  const server = createServer({
    schema: options.schema ?? toy.schema,
    env: readEnv({ PORT: '0', SHUTDOWN_TIMEOUT_MS: '0', ...options.env }),
    log: pino({ level: 'trace' }, sink),
    db: { pool: { totalCount: 3, idleCount: 1, waitingCount: 0 } } as unknown as Database,
    async authenticate(authorization) {
      if (authorization == null) return null
      const known = tokens.get(authorization.replace(/^Bearer /, ''))
      if (!known) throw unauthenticated('The token is not known.')
      return known
    },
    feed: noFeed,
    readiness: options.readiness ?? [],
  })
  onTestFinished(() => server.close())
  const { url, port } = await server.listen()
  return {
    url,
    origin: `http://127.0.0.1:${port}`,
    wsUrl: url.replace('http', 'ws'),
    port,
    server,
    work,
    openStreams: toy.open,
    logged: () => logged,
    tokens,
  }
}
