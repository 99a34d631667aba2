import { randomUUID } from 'node:crypto'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'

export type Role = 'server' | 'tool'

/**
 * A process's own connection to the embedded server. Advisory locks on it tell the processes of each
 * other, and end with the process: everyone who uses the server shares the lock `users`, one server
 * at a time has the lock `server`, and who leaves and can then have `users` alone was the last.
 */
export interface Session {
  client: pg.Client
  pid: number
  port: number
  /** The process that is the server already, or undefined when this one is it now. */
  becomeServer(): Promise<string | undefined>
  /** True when nobody else uses the server; then nobody can join any more. */
  leave(): Promise<boolean>
}

const key = 1_164_863_090
const users = [key, 1]
const server = [key, 2]

/** Why there is no session; `busy` when the server is starting or stopping, and so will pass. */
export interface NoSession {
  busy: boolean
  reason: string
}

export interface SessionOptions {
  data: string
  password: string
  pid: number
  port: number
  role: Role
}

/** Connects and joins the users. */
export async function openSession(options: SessionOptions): Promise<Session | NoSession> {
  const { data, password, pid, port, role } = options
  const client = new pg.Client({
    ...{ host: '127.0.0.1', port, user: 'postgres', password, database: 'postgres' },
    // Whatever PGSSLMODE says: that is about other servers.
    ssl: false,
    application_name: `engraph ${role}, process ${process.pid}`,
    connectionTimeoutMillis: 2_000,
    keepAlive: true,
  })
  // The events `end` and the statement that fails tell as much.
  client.on('error', () => {})
  const lock = async (call: string, name: number[]): Promise<boolean> =>
    (await client.query(`select ${call}($1, $2) as got`, name)).rows[0].got

  const refusal = await client
    .connect()
    .then(async () => {
      if (!(await serves(client, data))) return { busy: false, reason: 'it has another folder' }
      if (!(await lock('pg_try_advisory_lock_shared', users))) {
        return { busy: true, reason: 'it is about to stop' }
      }
      return undefined
    })
    .catch(({ code, message }: pg.DatabaseError) => ({ busy: passing.has(code), reason: message }))
  if (refusal) {
    await client.end().catch(() => {})
    return refusal
  }

  return {
    client,
    pid,
    port,
    async becomeServer() {
      if (await lock('pg_try_advisory_lock', server)) return undefined
      const { rows } = await client.query(ownerOfLock, server)
      return rows[0]?.application_name ?? 'another process'
    },
    async leave() {
      await lock('pg_advisory_unlock_shared', users)
      return lock('pg_try_advisory_lock', users)
    },
  }
}

/** `cannot_connect_now`: it starts or stops. `admin_shutdown`: it stops. */
const passing = new Set<string | undefined>(['57P03', '57P01'])

const ownerOfLock = `
  select application_name
  from pg_locks join pg_stat_activity using (pid)
  where locktype = 'advisory' and classid = $1 and objid = $2 and objsubid = 2 and granted`

/**
 * The password alone does not tell a server on this folder from one on the folder it was copied
 * from; what is put into the folder does.
 */
async function serves(client: pg.Client, data: string): Promise<boolean> {
  const name = `engraph-${randomUUID()}`
  const file = join(data, name)
  await writeFile(file, name, { mode: 0o644 })
  try {
    const { rows } = await client.query<{ found: string | null }>(
      'select pg_read_file($1, 0, 100, true) as found',
      [name],
    )
    return rows[0]?.found === name
  } finally {
    await rm(file, { force: true })
  }
}
