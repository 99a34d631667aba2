import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'

export type Transport = 'http' | 'sse' | 'ws'

/** What `/metrics` shows. Every server has a registry of its own. */
export class Metrics {
  readonly registry = new Registry()
  readonly #operations: Counter<'transport' | 'type' | 'outcome'>
  readonly #duration: Histogram<'type'>
  readonly #sockets: Gauge
  readonly #streams: Gauge
  readonly #events: Counter
  readonly #executions: Counter

  constructor(pool?: { totalCount: number; idleCount: number; waitingCount: number }) {
    const registers = [this.registry]
    collectDefaultMetrics({ register: this.registry })
    this.#operations = new Counter({
      name: 'engraph_operations_total',
      help: 'GraphQL operations that ended, by transport, type and outcome: OK or the code of the first error.',
      labelNames: ['transport', 'type', 'outcome'],
      registers,
    })
    this.#duration = new Histogram({
      name: 'engraph_operation_duration_seconds',
      help: 'How long queries and mutations took to run.',
      labelNames: ['type'],
      buckets: [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
      registers,
    })
    this.#sockets = new Gauge({
      name: 'engraph_sockets_open',
      help: 'WebSockets that are open.',
      registers,
    })
    this.#streams = new Gauge({
      name: 'engraph_streams_open',
      help: 'Subscriptions that are open.',
      registers,
    })
    this.#events = new Counter({
      name: 'engraph_stream_events_total',
      help: 'Changes that subscribers were sent, each counted for each of them.',
      registers,
    })
    this.#executions = new Counter({
      name: 'engraph_stream_executions_total',
      help: 'Executions for them: those who ask the same and may see the same share one.',
      registers,
    })
    if (pool) {
      new Gauge({
        name: 'engraph_database_connections',
        help: 'Connections of the database pool, and requests that wait for one.',
        labelNames: ['state'],
        registers,
        collect() {
          this.set({ state: 'used' }, pool.totalCount - pool.idleCount)
          this.set({ state: 'idle' }, pool.idleCount)
          this.set({ state: 'waiting' }, pool.waitingCount)
        },
      })
    }
  }

  operationEnded(transport: Transport, type: string, outcome: string): void {
    this.#operations.inc({ transport, type, outcome })
  }

  operationRan(type: string, milliseconds: number): void {
    this.#duration.observe({ type }, milliseconds / 1_000)
  }

  streamOpened(): void {
    this.#streams.inc()
  }

  streamClosed(): void {
    this.#streams.dec()
  }

  eventSent(): void {
    this.#events.inc()
  }

  eventExecuted(): void {
    this.#executions.inc()
  }

  socketOpened(): void {
    this.#sockets.inc()
  }

  socketClosed(): void {
    this.#sockets.dec()
  }
}
