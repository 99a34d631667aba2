import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { handleProtocols, type Server } from 'graphql-ws'
import { type WebSocket, WebSocketServer } from 'ws'
import type { Env } from '../core/env.ts'
import { unheldNumber } from '../core/json-text.ts'
import type { Origin } from './graphql-errors.ts'
import type { Metrics } from './metrics.ts'
import { SocketSender } from './socket-sender.ts'
import { closeCode, SocketSession } from './socket-session.ts'

export interface SocketServerOptions {
  env: Pick<Env, 'MAX_FRAME_BYTES' | 'SOCKET_PING_MS'>
  protocol: Server<SocketSession>
  metrics: Metrics
}

/** Takes HTTP connections over as WebSockets and carries the frames of the protocol. */
export class SocketServer {
  readonly #options: SocketServerOptions
  readonly #sessions = new Set<SocketSession>()
  readonly #server: WebSocketServer
  #allGone = () => {}

  constructor(options: SocketServerOptions) {
    this.#options = options
    this.#server = new WebSocketServer({
      noServer: true,
      maxPayload: options.env.MAX_FRAME_BYTES,
      // Compression costs memory on each socket, and lets a small frame grow large.
      perMessageDeflate: false,
      handleProtocols,
    })
  }

  accept(req: IncomingMessage, stream: Duplex, head: Buffer, origin: Origin & { address: string }) {
    this.#server.handleUpgrade(req, stream, head, socket => this.#open(socket, stream, origin))
  }

  /** Closes each socket when its queries and mutations are done; resolves when none is left. */
  leave(): Promise<void> {
    for (const session of this.#sessions) session.leave()
    return new Promise(resolve => {
      this.#allGone = resolve
      this.#noteGone()
    })
  }

  cut(): void {
    for (const socket of this.#server.clients) socket.terminate()
  }

  #open(socket: WebSocket, stream: Duplex, origin: Origin & { address: string }): void {
    const { protocol, metrics, env } = this.#options
    const session = new SocketSession(socket, new SocketSender(socket, stream), origin)
    this.#sessions.add(session)
    metrics.socketOpened()
    socket.on('error', error => session.log.debug({ err: error }, 'a socket failed'))
    terminateWhenDead(socket, env.SOCKET_PING_MS)

    const closed = protocol.opened(
      {
        protocol: socket.protocol,
        send: async data => session.send(data),
        close: (code, reason) => session.close(code ?? closeCode.internalError, reason ?? ''),
        onMessage: handle =>
          socket.on('message', async data => {
            try {
              await handleMessage(session, String(data), handle)
            } catch (error) {
              session.log.warn({ err: error }, 'a message on a socket could not be handled')
              session.close(closeCode.internalError, 'The message could not be handled')
            }
          }),
      },
      session,
    )
    socket.once('close', async (code, reason) => {
      metrics.socketClosed()
      await closed(code, String(reason))
      this.#sessions.delete(session)
      this.#noteGone()
    })
  }

  #noteGone(): void {
    if (this.#sessions.size === 0) this.#allGone()
  }
}

/** The protocol parses a message and asks what to do about it before it waits for anything. */
function handleMessage(
  session: SocketSession,
  message: string,
  handle: (message: string) => Promise<void>,
): Promise<void> {
  session.unheldNumber = unheldNumber(message)
  const handled = handle(message)
  session.unheldNumber = undefined
  return handled
}

/** A peer that has not answered by the next ping is gone, though TCP may not know it yet. */
function terminateWhenDead(socket: WebSocket, intervalMs: number): void {
  let isAlive = true
  const timer = setInterval(() => {
    if (!isAlive) return socket.terminate()
    isAlive = false
    socket.ping()
  }, intervalMs)
  socket.on('pong', () => {
    isAlive = true
  })
  socket.once('close', () => clearInterval(timer))
}
