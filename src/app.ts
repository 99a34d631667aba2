import type { Database } from './core/database.ts'
import type { Env } from './core/env.ts'
import type { Log } from './core/log.ts'
import { migrationStatus } from './core/migrations/migrations.ts'
import { openStorage } from './core/storage.ts'
import { ChangeFeed } from './events/feed.ts'
import { Executor } from './executor/executor.ts'
import { authenticator } from './identity/authenticate.ts'
import { ensureAdmin } from './identity/first-start.ts'
import { serviceWorker } from './identity/service-user.ts'
import { PassThrough } from './llm/pass-through.ts'
import { Callback } from './n8n/callback.ts'
import { Dispatcher } from './n8n/dispatcher.ts'
import { startSweeper } from './processes/sweep.ts'
import { Scheduler } from './schedules/scheduler.ts'
import { schema } from './schema.ts'
import { localAsk } from './server/local-ask.ts'
import type { ReadinessCheck } from './server/readiness.ts'
import { createServer } from './server/server.ts'

export interface App {
  /** Of the GraphQL endpoint, and of GraphiQL. */
  readonly url: string
  readonly port: number
  readonly db: Database
  /** The administrator's, on the very first start. */
  readonly firstToken: string | null
  /** Stops everything that was started, the last thing first. */
  close(): Promise<void>
}

/** Puts the parts together and starts them. What fails half-way leaves nothing running. */
export async function startApp(env: Env, log: Log): Promise<App> {
  const opened: { close(): Promise<void> }[] = []
  const close = async () => {
    for (let part = opened.pop(); part; part = opened.pop()) await part.close()
  }
  const started = <Part extends { close(): Promise<void> }>(part: Part): Part => {
    opened.push(part)
    return part
  }
  try {
    const { db, gate, url } = started(await openStorage(env, { log, role: 'server' }))
    const { REDIS_URL: redisUrl, CHANGES_KEPT_HOURS: hoursKept } = env
    const feed = started(await ChangeFeed.open({ db, gate, url, redisUrl, hoursKept, log }))
    started(startSweeper({ db, log }))
    if (env.SCHEDULES) started(new Scheduler({ db, log }))
    const authenticate = authenticator(gate, env, log)
    const readiness = readinessOf(gate, feed)
    const service = await serviceWorker(db)
    const callback = new Callback({ db, viewer: service, maxBytes: env.MAX_BODY_BYTES })
    const mounts = [started(new PassThrough({ env, db, authenticate })), callback]
    const options = { schema, env, log, db, feed, authenticate, readiness, mounts }
    const server = started(createServer(options))
    const address = await server.listen()
    if (env.EXECUTOR && (env.OLLAMA_URL || env.OPENAI_URL)) {
      const ask = localAsk({ schema, db, feed, log, viewer: service })
      started(Executor.of(env, { ask, log }))
    }
    if (env.N8N_BASE_URL) {
      const n8n = { url: env.N8N_BASE_URL, apiKey: env.N8N_API_KEY }
      const base = env.PUBLIC_URL ?? new URL(address.url).origin
      const callbackUrl = `${base.replace(/\/+$/, '')}/n8n/callback`
      started(new Dispatcher({ db, viewer: service, n8n, callbackUrl, log }))
    }
    // Its token is shown once, so it is made when nothing can come between any more.
    const firstToken = await ensureAdmin(db)
    return { ...address, db, firstToken, close }
  } catch (error) {
    await close()
    throw error
  }
}

const readinessOf = (db: Database, feed: ChangeFeed): ReadinessCheck[] => [
  { name: 'database', check: () => db.pool.query('select 1') },
  { name: 'listener', check: () => feed.check() },
  {
    name: 'migrations',
    async check() {
      const { pending } = await migrationStatus(db.pool)
      if (pending.length > 0) throw new Error(`the database lacks ${pending.join(', ')}`)
    },
  },
]
