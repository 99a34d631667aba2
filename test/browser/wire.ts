import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** Stands between the browser and the server, as a network does that can fail. */
export class Wire {
  readonly #sockets = new Set<Socket>()
  readonly #server = createServer(socket => this.#carry(socket))
  readonly #port: number

  private constructor(port: number) {
    this.#port = port
  }

  static async to(port: number): Promise<Wire> {
    const wire = new Wire(port)
    wire.#server.listen(0, '127.0.0.1')
    await once(wire.#server, 'listening')
    return wire
  }

  get origin(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  /** Ends all connections without a word of either side. */
  cut(): void {
    for (const socket of this.#sockets) socket.destroy()
  }

  /** From now on, nothing of the connections that are there gets through, and nobody is told. */
  silence(): void {
    for (const socket of this.#sockets) {
      socket.unpipe()
      socket.resume()
    }
  }

  async close(): Promise<void> {
    this.#server.close()
    this.cut()
    await once(this.#server, 'close')
  }

  #carry(near: Socket): void {
    const far = connect(this.#port, '127.0.0.1')
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      this.#sockets.add(socket)
      socket.pipe(other)
      socket.on('error', () => other.destroy())
      socket.on('close', () => {
        this.#sockets.delete(socket)
        other.destroy()
      })
    }
  }
}
