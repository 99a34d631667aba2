import type { WebSocket } from 'ws'
import type { Viewer } from '../core/context.ts'
import type { Origin } from './graphql-errors.ts'
import type { SocketSender } from './socket-sender.ts'

/** https://github.com/enisdenjo/graphql-ws/blob/master/PROTOCOL.md, and RFC 6455, section 7.4.1 */
export const closeCode = {
  goingAway: 1001,
  tryAgainLater: 1013,
  forbidden: 4403,
  internalError: 4500,
} as const

/** One socket from its upgrade to its end. */
export class SocketSession implements Origin {
  readonly requestId: string
  readonly log: Origin['log']
  readonly address: string
  readonly #socket: WebSocket
  readonly #sender: SocketSender
  readonly #onClose: (() => void)[] = []
  authorization: string | undefined
  viewer: Viewer | null = null
  /** In the message that is being handled, a number that was changed when it was parsed. */
  unheldNumber: string | undefined
  /** Operations that run, streams included. */
  operations = 0
  readonly #executing = new Set<object>()
  #isLeaving = false

  constructor(socket: WebSocket, sender: SocketSender, origin: Origin & { address: string }) {
    this.#socket = socket
    this.#sender = sender
    this.requestId = origin.requestId
    this.log = origin.log
    this.address = origin.address
    socket.once('close', () => {
      for (const done of this.#onClose) done()
    })
  }

  get isOpen(): boolean {
    return this.#socket.readyState === this.#socket.OPEN
  }

  /** Answers what to wait for before more is sent, where that is full. */
  send(message: string): Promise<void> | undefined {
    return this.#sender.send(message)
  }

  onClose(done: () => void): void {
    this.#onClose.push(done)
  }

  close(code: number, reason: string): void {
    // A close frame has room for no more.
    this.#socket.close(code, reason.slice(0, 120))
  }

  /** Notes a query or a mutation, by the request for it, so that the socket stays open for its answer. */
  began(request: object): void {
    this.#executing.add(request)
  }

  answered(request: object): void {
    this.#executing.delete(request)
    this.#leaveWhenIdle()
  }

  /** Closes the socket as soon as no query or mutation runs on it. Clients then connect elsewhere. */
  leave(): void {
    this.#isLeaving = true
    this.#leaveWhenIdle()
  }

  #leaveWhenIdle(): void {
    if (this.#isLeaving && this.#executing.size === 0) {
      this.close(closeCode.goingAway, 'Going away')
    }
  }
}
