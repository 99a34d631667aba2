import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from '../../support/client.ts'
import type { By, Connection, Feed } from './feeds.ts'

const ways: By[] = ['argument over ws', 'argument over sse', 'event id over sse']

/**
 * One who follows a feed as a client that wants everything does: whatever breaks, it connects again,
 * now here, now there, with the place of the last event that it has seen.
 */
export class Subscriber {
  readonly feed: Feed
  /** Keys of what came, in order, over all connections. */
  readonly seen: string[] = []
  /** Codes of the errors that came. */
  readonly errors: string[] = []
  connections = 0
  readonly #clients: readonly Client[]
  readonly #cuts: number[]
  #place: string
  #connection: Connection | undefined
  #isStopped = false
  readonly #running: Promise<void>

  /** @param cuts after how many events of a connection it cuts it, connection by connection */
  constructor(feed: Feed, clients: readonly Client[], cuts: readonly number[], turn: number) {
    this.feed = feed
    this.#clients = clients
    this.#cuts = [...cuts]
    this.#place = feed.begin
    this.#running = this.#run(turn)
  }

  cut(): void {
    this.#connection?.cut()
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    this.cut()
    await this.#running
  }

  async #run(firstTurn: number): Promise<void> {
    for (let turn = firstTurn; !this.#isStopped; turn++) {
      const client = this.#clients[turn % this.#clients.length]
      const by = ways[turn % ways.length]
      if (!client || !by) return
      try {
        this.#connection = await this.feed.open(client, this.#place, by)
        this.connections++
      } catch {
        await sleep(100)
        continue
      }
      await this.#read(this.#connection, this.#cuts.shift())
      this.#connection.cut()
    }
  }

  async #read(connection: Connection, limit = Number.POSITIVE_INFINITY): Promise<void> {
    let hasFailed = false
    for (let count = 0; count < limit && !this.#isStopped; count++) {
      try {
        const next = connection.next()
        const { key, place } = await (hasFailed ? soon(next) : next)
        this.seen.push(key)
        this.#place = place
        hasFailed = false
      } catch (error) {
        const code = /"code":"(\w+)"/.exec(String(error))?.[1]
        if (!code) return
        this.errors.push(code)
        // An error ends the stream. Or else a client that overlooks it must not miss anything.
        hasFailed = true
      }
    }
  }
}

const soon = <Value>(value: Promise<Value>): Promise<Value> =>
  Promise.race([
    value,
    sleep(200).then(() => {
      throw new Error('nothing comes any more')
    }),
  ])
