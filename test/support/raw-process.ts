import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { onTestFinished } from 'vitest'

/** `npm start` without npm, or `npm run` of another entry, as a process of its own whose output is piped. */
export class ServerProcess {
  readonly child: ChildProcessWithoutNullStreams
  stdout = ''
  stderr = ''
  #arrived = () => {}
  readonly exited: Promise<{ code: number | null; signal: string | null }>

  constructor(env: Record<string, string>, entry = 'main') {
    const { PATH = '' } = process.env
    this.child = spawn(process.execPath, ['scripts/run.mjs', entry], { env: { PATH, ...env } })
    this.exited = once(this.child, 'close').then(([code, signal]) => {
      this.#arrived()
      return { code, signal }
    })
    this.child.stdout.on('data', data => {
      this.stdout += data
      this.#arrived()
    })
    this.child.stderr.on('data', data => {
      this.stderr += data
    })
    onTestFinished(async () => {
      this.child.kill('SIGKILL')
      await this.exited
    })
  }

  /** Resolves with the first group of the pattern when standard output has matched. */
  async prints(pattern: RegExp): Promise<string> {
    for (;;) {
      const match = pattern.exec(this.stdout)
      if (match) return match[1] ?? ''
      if (this.child.exitCode !== null) throw new Error(`the server ended: ${this.stderr}`)
      await new Promise<void>(resolve => {
        this.#arrived = resolve
      })
    }
  }
}
