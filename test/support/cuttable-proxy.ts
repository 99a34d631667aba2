import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'

/** A way to a server that can be cut: everything on it breaks off, and nothing comes through. */
export class CuttableProxy {
  /** The URL of the server, by this way. */
  readonly url: string
  readonly #target: { host: string; port: number }
  readonly #sockets = new Set<Socket>()
  #server: Server
  readonly #port: number

  private constructor(url: string, server: Server) {
    const target = new URL(url)
    this.#target = { host: target.hostname, port: Number(target.port) }
    this.#server = server
    this.#port = (server.address() as AddressInfo).port
    target.port = String(this.#port)
    target.hostname = '127.0.0.1'
    this.url = target.href
    this.#serve()
  }

  /** For one test. */
  static async open(url: string): Promise<CuttableProxy> {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    const proxy = new CuttableProxy(url, server)
    onTestFinished(() => proxy.cut())
    return proxy
  }

  /** Until it is mended. */
  async cut(): Promise<void> {
    const closed = new Promise(resolve => this.#server.close(resolve))
    for (const socket of this.#sockets) socket.destroy()
    await closed
  }

  async mend(): Promise<void> {
    this.#server = createServer().listen(this.#port, '127.0.0.1')
    await once(this.#server, 'listening')
    this.#serve()
  }

  /** As if packets were lost: nothing comes through, and nobody is told. */
  freeze(): void {
    for (const socket of this.#sockets) socket.unpipe().resume()
  }

  #serve(): void {
    this.#server.on('connection', near => {
      const far = connect(this.#target)
      for (const [socket, other] of [
        [near, far],
        [far, near],
      ] as const) {
        this.#sockets.add(socket)
        socket.on('error', () => {})
        socket.on('close', () => {
          this.#sockets.delete(socket)
          other.destroy()
        })
        socket.pipe(other)
      }
    })
  }
}
