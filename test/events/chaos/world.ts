import pg from 'pg'
import pino from 'pino'
import { openDatabase } from '../../../src/core/database.ts'
import { migrate } from '../../../src/core/migrations/migrations.ts'
import { ensureAdmin } from '../../../src/identity/first-start.ts'
import { type Client, clientOf } from '../../support/client.ts'
import { newDirectory } from '../../support/embedded.ts'
import { freePorts } from '../../support/free-ports.ts'
import { Instance } from './instance.ts'
import { RestartablePostgres } from './restartable-postgres.ts'

/** Two servers, each a process, on one database of a PostgreSQL of their own. */
export interface World {
  postgres: RestartablePostgres
  instances: readonly Instance[]
  /** The administrator at each of them. */
  clients: readonly Client[]
  /** Of a process that takes runs, for those who write through the API. */
  code: string
  /** Past the servers, when nothing is being broken. */
  query<Row>(statement: string, values?: unknown[]): Promise<Row[]>
}

const log = pino({ level: 'silent' })

export async function openWorld(): Promise<World & { close(): Promise<void> }> {
  const [port, ...ports] = await freePorts(3)
  const postgres = await RestartablePostgres.start(newDirectory(), port ?? 0)
  const { url } = postgres
  await migrate(url, { log })
  const db = await openDatabase(url, { maxConnections: 2, log })
  const token = (await ensureAdmin(db)) ?? ''
  await db.close()
  const env = { DATABASE_URL: url, REQUEST_TIMEOUT_MS: '10000' }
  const instances = ports.map(each => new Instance(each, env))
  await Promise.all(instances.map(instance => instance.start()))
  const code = 'chaos'
  const world: World = {
    postgres,
    instances,
    clients: instances.map(instance => clientOf(instance.url, token)),
    code,
    async query<Row>(statement: string, values: unknown[] = []): Promise<Row[]> {
      const client = new pg.Client({ connectionString: url })
      client.on('error', () => {})
      await client.connect()
      try {
        return (await client.query(statement, values)).rows as Row[]
      } finally {
        await client.end()
      }
    },
  }
  await world.query(`insert into processes (code, name, status) values ($1, $1, 'active')`, [code])
  return { ...world, close: () => postgres.stop('crash') }
}
