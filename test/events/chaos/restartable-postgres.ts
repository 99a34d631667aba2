import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import pino from 'pino'
import { findBinaries } from '../../../src/core/postgres/postgres-binaries.ts'
import { openCluster } from '../../../src/core/postgres/postgres-cluster.ts'
import { chooseHome } from '../../../src/core/postgres/postgres-home.ts'
import { type Installation, launch } from '../../../src/core/postgres/postmaster.ts'

const log = pino({ level: 'silent' })

/** `fast` writes everything down first; `crash` forgets what nobody was promised to be kept. */
export type Stop = 'fast' | 'crash'

/** A PostgreSQL of a test's own, which comes back at the same address. */
export class RestartablePostgres {
  readonly url: string
  readonly #installation: Installation
  readonly #port: number
  #process: ChildProcess

  private constructor(
    installation: Installation,
    { url, port, process }: { url: string; port: number; process: ChildProcess },
  ) {
    this.#installation = installation
    this.url = url
    this.#port = port
    this.#process = process
  }

  static async start(
    directory: string,
    port: number,
    more: Record<string, string> = {},
  ): Promise<RestartablePostgres> {
    const { folder: home, account, copies } = await chooseHome(directory, log)
    const binaries = await findBinaries({ account, copies, log })
    const { data, password } = await openCluster({ home, account, binaries, log })
    // The machine stays up, so what is written is there after a crash of PostgreSQL alone.
    const settings = { fsync: 'off', full_page_writes: 'off', ...more }
    const installation = { binaries, account, data, logFile: join(home, 'postgres.log'), settings }
    const process = await launch(installation, port)
    const url = `postgresql://postgres:${password}@127.0.0.1:${port}/postgres?sslmode=disable`
    const postgres = new RestartablePostgres(installation, { url, port, process })
    await postgres.#answers()
    return postgres
  }

  async restart(how: Stop): Promise<void> {
    await this.stop(how)
    this.#process = await launch(this.#installation, this.#port)
    await this.#answers()
  }

  async stop(how: Stop): Promise<void> {
    const { exitCode, signalCode } = this.#process
    if (exitCode !== null || signalCode !== null) return
    const ended = once(this.#process, 'exit')
    this.#process.kill(how === 'fast' ? 'SIGINT' : 'SIGQUIT')
    await ended
  }

  async #answers(): Promise<void> {
    for (let attempt = 0; attempt < 1_000; attempt++) {
      const client = new pg.Client({ connectionString: this.url })
      client.on('error', () => {})
      try {
        await client.connect()
        return
      } catch {
        await sleep(20)
      } finally {
        await client.end().catch(() => {})
      }
    }
    throw new Error('PostgreSQL did not come back')
  }
}
