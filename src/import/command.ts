import type { Caller } from '../core/context.ts'
import { requireGraphWriter } from '../graph/guards.ts'
import type { BatchPlan } from './batch.ts'
import type { InputFile } from './input-file.ts'
import { type Statement, toStatement } from './mapping.ts'
import { type MemoryFailure, type MemorySkipped, readMemory } from './mcp-memory.ts'
import { writeBatch } from './write-batch.ts'

/** The largest object that is read from a file: the bound of what an import holds in memory. */
const maxObjectBytes = 8 * 2 ** 20
// A batch is one transaction, and well below what one upsert takes.
const batchStatements = 1_000
const batchCharacters = 4 * 2 ** 20
const batchNames = 4_000

export interface ImportCounts {
  /** Records that brought something new, and those that were there already. */
  entities: { imported: number; skipped: number }
  relations: { imported: number; skipped: number }
  /** What is no memory, such as a marker of the program that wrote the file. */
  ignored: number
  failed: number
  concepts: { created: number; extended: number }
  links: { created: number }
  /** New concepts that relations name and no entity of the file is. */
  stubs: number
  /** Records with characters that cannot be kept and were replaced. */
  replaced: number
  /** Whether the import was stopped before the end of the file. */
  stopped: boolean
}

export interface ImportProgress {
  records: number
  bytes: number
  totalBytes: number
}

export interface ImportOptions {
  onProgress?: (progress: ImportProgress) => void
  /** Told of all that is not imported and was not there before. */
  onLeftOut?: (item: MemoryFailure | MemorySkipped) => void | Promise<void>
  /** Stops the import between two batches. */
  signal?: AbortSignal
}

/**
 * Imports a memory file into the concept graph, batch by batch in the order of the file, so that
 * memory is bounded by a batch. A record that is in the graph already changes nothing: the same
 * file again adds nothing, and an import that was interrupted goes on when it is started again.
 * @throws FORBIDDEN where the caller may not write the graph; FileError when reading fails
 */
export async function importFile(
  caller: Caller,
  file: InputFile,
  options: ImportOptions = {},
): Promise<ImportCounts> {
  requireGraphWriter(caller)
  const run = new ImportRun(caller, options)
  let bytes = 0
  async function* counted() {
    for await (const chunk of file.chunks) {
      bytes += chunk.length
      yield chunk
    }
  }
  for await (const item of readMemory(counted(), { maxObjectBytes })) {
    if (item.kind === 'failed' || item.kind === 'skipped') await run.leaveOut(item)
    else {
      const statement = toStatement(item)
      if (statement.kind === 'failed') await run.leaveOut(statement)
      else run.add(statement)
    }
    if (!run.isFull) continue
    await run.write()
    options.onProgress?.({ records: run.records, bytes, totalBytes: file.size })
    if (options.signal?.aborted) return { ...run.counts, stopped: true }
  }
  await run.write()
  return run.counts
}

class ImportRun {
  readonly #caller: Caller
  readonly #options: ImportOptions
  readonly #stubs = new Set<string>()
  readonly #counts: Omit<ImportCounts, 'stubs'> = {
    entities: { imported: 0, skipped: 0 },
    relations: { imported: 0, skipped: 0 },
    ignored: 0,
    failed: 0,
    concepts: { created: 0, extended: 0 },
    links: { created: 0 },
    replaced: 0,
    stopped: false,
  }
  #statements: Statement[] = []
  #characters = 0
  #names = 0
  records = 0

  constructor(caller: Caller, options: ImportOptions) {
    this.#caller = caller
    this.#options = options
  }

  get counts(): ImportCounts {
    return { ...this.#counts, stubs: this.#stubs.size }
  }

  get isFull(): boolean {
    return (
      this.#statements.length >= batchStatements ||
      this.#characters >= batchCharacters ||
      this.#names >= batchNames
    )
  }

  add(statement: Statement): void {
    this.records++
    this.#statements.push(statement)
    this.#characters += statement.lines.reduce((sum, line) => sum + line.length, 0)
    this.#names += 1 + 2 * statement.links.length
  }

  async leaveOut(item: MemoryFailure | MemorySkipped): Promise<void> {
    this.records++
    if (item.kind === 'failed') this.#counts.failed++
    else this.#counts.ignored++
    await this.#options.onLeftOut?.(item)
  }

  async write(): Promise<void> {
    const statements = this.#statements
    if (statements.length === 0) return
    this.#statements = []
    this.#characters = 0
    this.#names = 0
    const plan = await writeBatch(this.#caller, statements)
    await this.#count(statements, plan)
  }

  async #count(statements: readonly Statement[], plan: BatchPlan): Promise<void> {
    this.#counts.concepts.created += plan.created
    this.#counts.concepts.extended += plan.extended
    this.#counts.links.created += plan.links.length
    for (const name of plan.named) this.#stubs.delete(name)
    for (const name of plan.stubs) this.#stubs.add(name)
    for (const [index, { kind, line, replaced }] of statements.entries()) {
      const outcome = plan.outcomes[index]
      if (outcome === undefined) continue
      if (outcome.kind === 'failed') {
        this.#counts.failed++
        await this.#options.onLeftOut?.({ kind: 'failed', line, reason: outcome.reason })
        continue
      }
      this.#counts[kind === 'entity' ? 'entities' : 'relations'][outcome.kind]++
      if (replaced && outcome.kind === 'imported') this.#counts.replaced++
    }
  }
}
