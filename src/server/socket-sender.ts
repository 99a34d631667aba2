import type { Duplex } from 'node:stream'
import type { WebSocket } from 'ws'

/** A socket that has this much unread is not read from either until the other side catches up. */
const maxUnsentBytes = 1 << 20
/** Who has sent this much waits until it has left. */
const maxHeldBytes = 16 << 10

/**
 * Sends on one socket. What is sent in one turn of the event loop leaves together: under load most of
 * the work of a message is to hand it to the system, however small it is.
 */
export class SocketSender {
  readonly #socket: WebSocket
  readonly #stream: Duplex
  #isHeld = false

  /** @param stream that the socket writes to */
  constructor(socket: WebSocket, stream: Duplex) {
    this.#socket = socket
    this.#stream = stream
  }

  /** Answers what to wait for before more is sent, where that is full. */
  send(data: string): Promise<void> | undefined {
    const socket = this.#socket
    if (socket.readyState !== socket.OPEN) return undefined
    this.#hold()
    let arrived = () => {}
    // Of a failure its closing tells.
    socket.send(data, () => {
      if (socket.isPaused && socket.bufferedAmount <= maxUnsentBytes) socket.resume()
      arrived()
    })
    if (socket.bufferedAmount > maxUnsentBytes) socket.pause()
    if (socket.bufferedAmount <= maxHeldBytes) return undefined
    return new Promise(resolve => {
      arrived = resolve
    })
  }

  #hold(): void {
    if (this.#isHeld) return
    this.#isHeld = true
    this.#stream.cork()
    setImmediate(() => {
      this.#isHeld = false
      this.#stream.uncork()
    })
  }
}
