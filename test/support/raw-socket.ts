import { once } from 'node:events'
import { onTestFinished } from 'vitest'
import WebSocket from 'ws'

type Message = { type: string; id?: string; payload?: unknown }

export interface RawSocketOptions {
  headers?: Record<string, string>
  protocol?: string
}

/** A WebSocket that sends whatever it is told to, and keeps what comes in order. */
export class RawSocket {
  readonly ws: WebSocket
  readonly #messages: Message[] = []
  #arrived = () => {}
  /** How the server closed the socket. */
  readonly closed: Promise<{ code: number; reason: string }>

  private constructor(ws: WebSocket) {
    this.ws = ws
    this.closed = new Promise(resolve => {
      ws.once('close', (code, reason) => {
        resolve({ code, reason: String(reason) })
        this.#arrived()
      })
    })
    ws.on('message', data => {
      this.#messages.push(JSON.parse(String(data)))
      this.#arrived()
    })
    ws.on('error', () => {})
    onTestFinished(() => ws.terminate())
  }

  static async open(url: string, options: RawSocketOptions = {}): Promise<RawSocket> {
    const { headers = {}, protocol = 'graphql-transport-ws' } = options
    const ws = new WebSocket(url, protocol, { headers })
    const socket = new RawSocket(ws)
    await once(ws, 'open')
    return socket
  }

  /** Opened, and acknowledged with this payload of connection_init. */
  static async ready(url: string, payload?: Record<string, unknown>): Promise<RawSocket> {
    const socket = await RawSocket.open(url)
    socket.send({ type: 'connection_init', payload })
    const { type } = await socket.next()
    if (type !== 'connection_ack') throw new Error(`instead of connection_ack came ${type}`)
    return socket
  }

  send(message: object | string): void {
    this.ws.send(typeof message === 'string' ? message : JSON.stringify(message))
  }

  subscribe(id: string, query: string, more: object = {}): void {
    this.send({ type: 'subscribe', id, payload: { query, ...more } })
  }

  /** The next message; fails when the socket closes without one. */
  async next(): Promise<Message> {
    for (;;) {
      const message = this.#messages.shift()
      if (message) return message
      if (this.ws.readyState === WebSocket.CLOSED) throw new Error('the socket was closed')
      await new Promise<void>(resolve => {
        this.#arrived = resolve
      })
    }
  }
}

/** The HTTP status with which the server refused to open a WebSocket. */
export async function upgradeStatus(url: string, headers: Record<string, string> = {}) {
  const ws = new WebSocket(url, 'graphql-transport-ws', { headers })
  ws.on('error', () => {})
  const [, response] = await once(ws, 'unexpected-response')
  ws.terminate()
  return response.statusCode as number
}
