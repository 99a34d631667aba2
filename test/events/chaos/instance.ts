import { setTimeout as sleep } from 'node:timers/promises'
import { ServerProcess } from '../../support/raw-process.ts'

/** A server as a process of its own, which comes back at the same address. */
export class Instance {
  readonly url: string
  readonly #env: Record<string, string>
  #process: ServerProcess | undefined
  #starting: Promise<void> = Promise.resolve()
  /** What it said when it ended by itself, which it never should. */
  readonly ends: string[] = []

  constructor(port: number, env: Record<string, string>) {
    this.url = `http://127.0.0.1:${port}/graphql`
    this.#env = { ...env, PORT: String(port), LOG_LEVEL: 'silent' }
  }

  /** Resolves when it serves. It does not start without its database, so that is tried again. */
  start(): Promise<void> {
    this.#starting = this.#start()
    return this.#starting
  }

  /** Ends it as a crash does, and starts it again. Not while it is starting. */
  async crash(): Promise<void> {
    if (!this.#process) return
    const { child, exited } = this.#process
    this.#process = undefined
    child.kill('SIGKILL')
    await exited
    await this.start()
  }

  /** Resolves when it serves, whatever has happened to it. */
  up(): Promise<void> {
    return this.#starting
  }

  async #start(): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      const started = new ServerProcess(this.#env)
      try {
        await started.prints(/running at/)
        this.#process = started
        void started.exited.then(({ code, signal }) => {
          if (this.#process !== started) return
          this.ends.push(`it ended by itself: ${code ?? signal}\n${started.stderr}`)
        })
        return
      } catch (error) {
        if (attempt === 10) throw error
        await sleep(200)
      }
    }
  }
}
