import { pino } from 'pino'
import { type App, startApp } from '../../src/app.ts'
import { readEnv } from '../../src/core/env.ts'
import type { Api } from '../support/api.ts'
import { Wire } from './wire.ts'

/**
 * The server that the page is watched from. It can be away while runs go on by the other server on
 * the same database, and come back on the same port.
 */
export class WatchedServer {
  readonly #api: Api
  #app: App
  #wire: Wire

  private constructor(api: Api, app: App, wire: Wire) {
    this.#api = api
    this.#app = app
    this.#wire = wire
  }

  static async beside(api: Api): Promise<WatchedServer> {
    const app = await serve(api, 0)
    return new WatchedServer(api, app, await Wire.to(app.port))
  }

  get origin(): string {
    return this.#wire.origin
  }

  get wire(): Wire {
    return this.#wire
  }

  /** Closes the server and starts it again when that is done. */
  async awayDuring(work: () => Promise<void>): Promise<void> {
    const { port } = this.#app
    await this.#app.close()
    try {
      await work()
    } finally {
      this.#app = await serve(this.#api, port)
    }
  }

  async close(): Promise<void> {
    await this.#wire.close()
    await this.#app.close()
  }
}

function serve({ databaseUrl }: Api, port: number): Promise<App> {
  const settings = { DATABASE_URL: databaseUrl, PORT: String(port), DB_CONNECTIONS: '8' }
  return startApp(readEnv(settings), pino({ level: process.env.TEST_LOG ?? 'silent' }))
}
