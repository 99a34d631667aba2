import type { ImportProgress } from './command.ts'

const recordsBetweenLines = 10_000
const millisecondsBetweenUpdates = 100

export interface ProgressOutput {
  isTTY?: boolean
  write(text: string): unknown
}

/** Shows how far an import is: on a terminal in one line that changes, else now and then a line. */
export class Progress {
  readonly #output: ProgressOutput
  #nextRecords = recordsBetweenLines
  #nextTime = 0

  constructor(output: ProgressOutput) {
    this.#output = output
  }

  show(progress: ImportProgress): void {
    const { records, bytes, totalBytes } = progress
    const share = totalBytes > 0 ? `${Math.floor((100 * bytes) / totalBytes)} %, ` : ''
    const text = `${share}${records.toLocaleString('en-US')} records`
    if (this.#output.isTTY) {
      if (Date.now() < this.#nextTime) return
      this.#nextTime = Date.now() + millisecondsBetweenUpdates
      this.#output.write(`\r\u001b[K${text}`)
    } else if (records >= this.#nextRecords) {
      this.#nextRecords = records + recordsBetweenLines
      this.#output.write(`${text}\n`)
    }
  }

  clear(): void {
    if (this.#output.isTTY) this.#output.write('\r\u001b[K')
  }
}
