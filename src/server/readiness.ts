import type { Log } from '../core/log.ts'

/** Something that the server needs in order to answer; `check` throws where it is missing. */
export interface ReadinessCheck {
  readonly name: string
  check(): Promise<unknown>
}

const patienceMs = 2_000

/** Asks all checks together. Who asks while an answer is being found gets the same answer. */
export class Readiness {
  readonly #checks: readonly ReadinessCheck[]
  readonly #log: Log
  #running: Promise<string[]> | undefined

  constructor(checks: readonly ReadinessCheck[], log: Log) {
    this.#checks = checks
    this.#log = log
  }

  /** The names of what is not ready. */
  missing(): Promise<string[]> {
    this.#running ??= this.#ask().finally(() => {
      this.#running = undefined
    })
    return this.#running
  }

  async #ask(): Promise<string[]> {
    const isReady = await Promise.all(this.#checks.map(one => this.#isReady(one)))
    return this.#checks.filter((_, index) => !isReady[index]).map(({ name }) => name)
  }

  async #isReady({ name, check }: ReadinessCheck): Promise<boolean> {
    let timer: NodeJS.Timeout | undefined
    const tooLate = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error('no answer in time')), patienceMs)
    })
    try {
      await Promise.race([check(), tooLate])
      return true
    } catch (error) {
      this.#log.warn({ err: error, check: name }, 'the server is not ready')
      return false
    } finally {
      clearTimeout(timer)
    }
  }
}
