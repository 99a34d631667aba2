import pg from 'pg'
import type { Log } from '../core/log.ts'
import { withSessionSettings } from '../core/session.ts'
import { type Bus, type BusOptions, coalesced, pulse } from './bus.ts'

const channel = 'engraph_changes'
const longestPauseMs = 2_000

/** LISTEN and NOTIFY on one connection of its own, which is opened anew whenever it is lost. */
export class PostgresBus implements Bus {
  readonly #url: string
  readonly #log: Log
  readonly #wake: () => void
  #client: pg.Client | undefined
  #pauseMs = 0
  #retry: NodeJS.Timeout | undefined
  #isClosed = false
  #isSpeaking = false
  #hasMoreToSay = false
  readonly publish = coalesced(() => void this.#notify())
  // Of a network that drops packets nobody else would tell.
  readonly #pulse = setInterval(() => void this.#say('select'), pulse.everyMs).unref()

  private constructor(url: string, log: Log, { wake }: BusOptions) {
    this.#url = withSessionSettings(url)
    this.#log = log
    this.#wake = wake
  }

  static async open(url: string, log: Log, options: BusOptions): Promise<PostgresBus> {
    const bus = new PostgresBus(url, log, options)
    await bus.#connect()
    return bus
  }

  async check(): Promise<void> {
    if (!this.#client) throw new Error('the connection that listens for changes is lost')
  }

  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#retry)
    clearInterval(this.#pulse)
    await this.#client?.end().catch(() => {})
  }

  /** One at a time: a connection runs one statement. Who cannot be told looks by itself within a second. */
  async #notify(): Promise<void> {
    this.#hasMoreToSay = true
    if (this.#isSpeaking) return
    this.#isSpeaking = true
    while (this.#hasMoreToSay) {
      this.#hasMoreToSay = false
      await this.#say(`notify ${channel}`)
    }
    this.#isSpeaking = false
  }

  /** A connection that does not answer is given up. */
  async #say(statement: string): Promise<void> {
    const client = this.#client
    await client?.query(statement).catch(() => client.end().catch(() => {}))
  }

  async #connect(): Promise<void> {
    const client = new pg.Client({
      connectionString: this.#url,
      keepAlive: true,
      connectionTimeoutMillis: 5_000,
      query_timeout: pulse.answerMs,
    })
    client.on('error', () => {})
    client.once('end', () => this.#lost(client))
    client.on('notification', ({ processId }) => {
      if (processId !== (client as unknown as { processID: number }).processID) this.#wake()
    })
    try {
      await client.connect()
      await client.query(`listen ${channel}`)
    } catch (error) {
      this.#log.warn({ reason: (error as Error).message }, 'cannot listen for changes yet')
      await client.end().catch(() => {})
      this.#connectLater()
      return
    }
    if (this.#isClosed) return client.end()
    this.#client = client
    this.#pauseMs = 0
    // Whatever was said meanwhile went unheard.
    this.#wake()
  }

  #lost(client: pg.Client): void {
    if (this.#client !== client || this.#isClosed) return
    this.#client = undefined
    this.#log.warn('the connection that listens for changes was lost')
    this.#connectLater()
  }

  #connectLater(): void {
    if (this.#isClosed) return
    this.#retry = setTimeout(() => void this.#connect(), this.#pauseMs)
    this.#pauseMs = Math.min(Math.max(100, this.#pauseMs * 2), longestPauseMs)
  }
}
