import { createHash, randomBytes } from 'node:crypto'
import { hostname } from 'node:os'
import pg from 'pg'
import { isAlive } from '../../src/core/postgres/pids.ts'

/** The server of a test run, and the migrated database on it that every test's is a copy of. */
export interface TestServer {
  /** Of a database that is there anyway, to create and drop others from. */
  url: string
  template: string
}

/** Names say which process on which machine they belong to, so that leftovers can be told. */
export function newTemplateName(): string {
  return `${prefix}${process.pid}_${randomBytes(4).toString('hex')}`
}

export async function withClient<Result>(
  url: string,
  work: (client: pg.Client) => Promise<Result>,
): Promise<Result> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

export function urlOf(server: Pick<TestServer, 'url'>, database: string): string {
  const url = new URL(server.url)
  url.pathname = `/${database}`
  return url.href
}

export function dropDatabase(server: Pick<TestServer, 'url'>, name: string): Promise<void> {
  return withClient(server.url, async client => {
    await client.query(`drop database if exists "${name}" with (force)`)
  })
}

/** Drops what runs that were killed have left on a server that outlives them, and what this one has. */
export function dropLeftovers(server: Pick<TestServer, 'url'>): Promise<void> {
  return withClient(server.url, async client => {
    const { rows } = await client.query<{ datname: string }>(
      'select datname from pg_database where starts_with(datname, $1)',
      [prefix],
    )
    for (const { datname } of rows) {
      const pid = Number.parseInt(datname.slice(prefix.length), 10)
      if (pid !== process.pid && isAlive(pid)) continue
      await client.query(`drop database if exists "${datname}" with (force)`)
    }
  })
}

const machine = createHash('sha256').update(hostname()).digest('hex').slice(0, 6)
const prefix = `engraph_test_${machine}_`
