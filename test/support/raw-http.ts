import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'

/** A TCP connection to the server that sends bytes as they are given. */
export class RawConnection {
  readonly socket: Socket
  received = ''
  #arrived = () => {}
  readonly closed: Promise<void>

  private constructor(socket: Socket) {
    this.socket = socket
    this.closed = new Promise(resolve => {
      socket.once('close', () => {
        resolve()
        this.#arrived()
      })
    })
    socket.on('data', data => {
      this.received += data
      this.#arrived()
    })
    socket.on('error', () => {})
    onTestFinished(() => void socket.destroy())
  }

  static async open(port: number): Promise<RawConnection> {
    const socket = connect(port, '127.0.0.1')
    const connection = new RawConnection(socket)
    await once(socket, 'connect')
    return connection
  }

  send(...lines: string[]): void {
    this.socket.write(lines.join('\r\n'))
  }

  /** Resolves when the server's answer has matched. */
  async receives(pattern: RegExp): Promise<string> {
    while (!pattern.test(this.received)) {
      if (this.socket.destroyed) throw new Error(`closed after: ${this.received}`)
      await new Promise<void>(resolve => {
        this.#arrived = resolve
      })
    }
    return this.received
  }
}

export const statusOf = (answer: string) => Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1])
