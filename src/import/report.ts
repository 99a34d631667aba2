import { once } from 'node:events'
import { createWriteStream, type WriteStream } from 'node:fs'
import { finished } from 'node:stream/promises'
import type { ImportCounts } from './command.ts'
import { refuse } from './input-file.ts'
import type { MemoryFailure, MemorySkipped } from './mcp-memory.ts'

/** A JSON file of all that an import left out, written as it goes, and of what it counted. */
export class Report {
  readonly #stream: WriteStream
  #separator = ''

  private constructor(stream: WriteStream) {
    this.#stream = stream
  }

  /** @throws FileError when the file cannot be written */
  static async create(path: string, file: string): Promise<Report> {
    const stream = createWriteStream(path)
    await once(stream, 'open').catch(error => refuse(path, error))
    const report = new Report(stream)
    await report.#write(`{"file":${JSON.stringify(file)},"leftOut":[`)
    return report
  }

  async add({ kind, line, reason }: MemoryFailure | MemorySkipped): Promise<void> {
    await this.#write(`${this.#separator}\n${JSON.stringify({ kind, line, reason })}`)
    this.#separator = ','
  }

  async close(counts: ImportCounts): Promise<void> {
    this.#stream.end(`\n],"counts":${JSON.stringify(counts)}}\n`)
    await finished(this.#stream)
  }

  async #write(text: string): Promise<void> {
    if (!this.#stream.write(text)) await once(this.#stream, 'drain')
  }
}
