import { pino } from 'pino'
import { type Database, openDatabase } from '../../src/core/database.ts'
import { readEnv } from '../../src/core/env.ts'
import { ChangeFeed } from '../../src/events/feed.ts'
import { authenticator } from '../../src/identity/authenticate.ts'
import { ensureAdmin } from '../../src/identity/first-start.ts'
import { serviceWorker } from '../../src/identity/service-user.ts'
import { PassThrough } from '../../src/llm/pass-through.ts'
import { Callback } from '../../src/n8n/callback.ts'
import { schema } from '../../src/schema.ts'
import { createServer } from '../../src/server/server.ts'
import { graphql } from '../generated/gql.ts'
import { type Client, clientOf } from './client.ts'
import { createTestDatabase } from './test-database.ts'

/** A server on a database of its own, with the schema and everything that `npm start` has. */
export interface Api {
  readonly url: string
  readonly databaseUrl: string
  readonly db: Database
  readonly admin: Client
  /** A client whose token is a new person's, or an agent's or worker's that acts for one. */
  signUp(login: string, options?: { kind?: 'AGENT' | 'WORKER'; groups?: string[] }): Promise<Client>
  /** The administrator at another server on the same database, which is closed with this one. */
  sibling(): Promise<Client>
  close(): Promise<void>
}

export async function startApi(settings: Record<string, string> = {}): Promise<Api> {
  const log = pino({ level: process.env.TEST_LOG ?? 'silent' })
  const env = readEnv({ PORT: '0', ...settings })
  const database = await createTestDatabase()
  const opened: { close(): Promise<void> }[] = [database]
  const open = async () => {
    const db = await openDatabase(database.url, { maxConnections: 8, log })
    opened.push(db)
    return db
  }
  const serve = async (db: Database) => {
    const authenticate = authenticator(db, env, log)
    const { url } = database
    const { REDIS_URL: redisUrl, CHANGES_KEPT_HOURS: hoursKept } = env
    const gate = await open()
    const feed = await ChangeFeed.open({ db, gate, url, redisUrl, hoursKept, log })
    opened.push(feed)
    const passThrough = new PassThrough({ env, db, authenticate })
    opened.push(passThrough)
    const service = await serviceWorker(db)
    const callback = new Callback({ db, viewer: service, maxBytes: env.MAX_BODY_BYTES })
    const mounts = [passThrough, callback]
    const server = createServer({ schema, env, log, db, feed, authenticate, readiness: [], mounts })
    opened.push(server)
    return (await server.listen()).url
  }
  const db = await open()
  const secret = (await ensureAdmin(db)) ?? ''
  const url = await serve(db)
  const admin = clientOf(url, secret)
  return {
    url,
    databaseUrl: database.url,
    db,
    admin,
    async signUp(login, { kind, groups = [] } = {}) {
      await admin.run(CreateUser, { login, groups })
      const llmId = kind === 'AGENT' ? `${login}-llm` : null
      if (llmId) await admin.run(RegisterLlm, { llmId })
      const input = { login, kind: kind ?? 'USER', llmId, name: 'test' } as const
      const { createToken } = await admin.run(CreateToken, { input })
      return clientOf(url, createToken.secret)
    },
    sibling: async () => clientOf(await serve(await open()), secret),
    async close() {
      for (let part = opened.pop(); part; part = opened.pop()) await part.close()
    },
  }
}

const CreateUser = graphql(`
  mutation TestUser($login: String!, $groups: [String!]!) {
    createUser(input: { login: $login, groups: $groups }) { id }
  }
`)

const RegisterLlm = graphql(`
  mutation TestLlm($llmId: String!) { registerLlm(llmId: $llmId, name: $llmId) { id } }
`)

const CreateToken = graphql(`
  mutation TestToken($input: CreateTokenInput!) { createToken(input: $input) { secret } }
`)
