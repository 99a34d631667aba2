import { randomUUID } from 'node:crypto'
import { Redis } from 'ioredis'
import type { Log } from '../core/log.ts'
import { type Bus, type BusOptions, coalesced, pulse } from './bus.ts'

/** Publish and subscribe on two connections, which are opened anew whenever they are lost. */
export class RedisBus implements Bus {
  /** So that an instance does not wake itself. */
  readonly #instance = randomUUID()
  readonly #listener: Redis
  readonly #speaker: Redis
  readonly #channel: string
  readonly #pulse: NodeJS.Timeout
  readonly publish = coalesced(() => {
    // Who cannot be told looks by itself within a second.
    this.#speaker.publish(this.#channel, this.#instance).catch(() => {})
  })

  /** @param epoch of the log, so that databases that share a Redis do not wake each other */
  constructor(url: string, epoch: string, log: Log, { wake }: BusOptions) {
    this.#channel = `engraph:changes:${epoch}`
    const options = {
      // What was not sent while there was no connection is not worth sending later.
      enableOfflineQueue: false,
      maxRetriesPerRequest: 0,
      commandTimeout: pulse.answerMs,
      retryStrategy: (attempt: number) => Math.min(100 * 2 ** attempt, 2_000),
    }
    this.#listener = new Redis(url, { ...options, autoResubscribe: false })
    this.#speaker = new Redis(url, options)
    let isWarned = false
    for (const connection of [this.#listener, this.#speaker]) {
      connection.on('error', error => {
        if (!isWarned) log.warn({ reason: error.message }, 'a connection to Redis was lost')
        isWarned = true
      })
      connection.on('ready', () => {
        isWarned = false
      })
    }
    this.#listener.on('ready', () => {
      // Whatever was said meanwhile went unheard.
      this.#listener.subscribe(this.#channel).then(wake, () => this.#listener.disconnect(true))
    })
    // Of a network that drops packets nobody else would tell.
    this.#pulse = setInterval(() => {
      for (const connection of [this.#listener, this.#speaker]) {
        if (connection.status === 'ready')
          connection.ping().catch(() => connection.disconnect(true))
      }
    }, pulse.everyMs).unref()
    this.#listener.on('message', (_channel, instance) => {
      if (instance !== this.#instance) wake()
    })
  }

  async check(): Promise<void> {
    for (const { status } of [this.#listener, this.#speaker]) {
      if (status !== 'ready') throw new Error(`the connection to Redis is ${status}`)
    }
  }

  async close(): Promise<void> {
    clearInterval(this.#pulse)
    this.#listener.disconnect()
    this.#speaker.disconnect()
  }
}
