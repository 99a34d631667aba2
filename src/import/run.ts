import { realpath } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import type { Caller } from '../core/context.ts'
import { importFile } from './command.ts'
import { FileError, openInput } from './input-file.ts'
import type { MemoryFailure } from './mcp-memory.ts'
import { Progress, type ProgressOutput } from './progress.ts'
import { Report } from './report.ts'
import { summarize } from './summary.ts'

export const usage = `Usage: npm run import -- <file> [--report <file>]

Imports a memory file of the MCP memory server (memory.jsonl) into the concept graph.
The same file again adds nothing, so an interrupted import is simply started again.

  --report <file>  writes what was left out, with line and reason, as JSON
  --help           shows this

Exit code: 0 all imported, or there already; 1 some of it failed, and the rest is imported;
2 nothing could be done, or the import broke off; 130 stopped by Ctrl-C.
`

const failuresShown = 20

/** An administrator's view of the database, and how to leave it. */
interface OpenedCaller {
  caller: Caller
  close(): Promise<void>
}

export interface ImportShell {
  /** Called when the arguments are right and the file is there. */
  open: () => Promise<OpenedCaller>
  stdout: ProgressOutput
  stderr: ProgressOutput
  signal?: AbortSignal
}

/** The import command, from its arguments to its exit code. */
export async function runImport(args: string[], shell: ImportShell): Promise<number> {
  try {
    const options = readArguments(args)
    if (options === 'help') {
      shell.stdout.write(usage)
      return 0
    }
    return await importPath(options, shell)
  } catch (error) {
    shell.stderr.write(`${(error as Error).message}\n`)
    return 2
  }
}

class UsageError extends Error {
  override readonly name = 'UsageError'
}

function readArguments(args: string[]): { path: string; reportPath?: string } | 'help' {
  let parsed: ReturnType<typeof parse>
  try {
    parsed = parse(args)
  } catch (error) {
    throw new UsageError(`${(error as Error).message}\n\n${usage}`)
  }
  const { values, positionals } = parsed
  if (values.help) return 'help'
  const [path, ...others] = positionals
  if (path === undefined || others.length > 0) throw new UsageError(`Name one file.\n\n${usage}`)
  return values.report === undefined ? { path } : { path, reportPath: values.report }
}

const parse = (args: string[]) =>
  parseArgs({
    args,
    allowPositionals: true,
    options: { report: { type: 'string' }, help: { type: 'boolean', short: 'h' } },
  })

async function importPath(
  { path, reportPath }: { path: string; reportPath?: string },
  { open, stdout, stderr, signal }: ImportShell,
): Promise<number> {
  const file = await openInput(path)
  let opened: OpenedCaller | undefined
  const progress = new Progress(stderr)
  const failures: MemoryFailure[] = []
  try {
    const report = reportPath === undefined ? undefined : await openReport(reportPath, path)
    opened = await open()
    const counts = await importFile(opened.caller, file, {
      signal,
      onProgress: each => progress.show(each),
      onLeftOut: async item => {
        if (item.kind === 'failed' && failures.length < failuresShown) failures.push(item)
        await report?.add(item)
      },
    }).catch(brokenOff)
    // The planner's figures are older than what has just come in.
    await opened.caller.db.pool.query('analyze concepts, links')
    await report?.close(counts)
    progress.clear()
    stdout.write(summarize(path, counts, failures))
    if (counts.stopped) return 130
    return counts.failed > 0 ? 1 : 0
  } finally {
    progress.clear()
    await opened?.close()
    await file.close()
  }
}

function brokenOff(error: Error): never {
  throw new Error(
    `The import broke off: ${error.message}\nWhat was imported stays; the same command goes on from there.`,
    { cause: error },
  )
}

async function openReport(reportPath: string, path: string): Promise<Report> {
  const isSame = (await realpath(reportPath).catch(() => undefined)) === (await realpath(path))
  if (isSame) throw new FileError(`the report would overwrite ${path}`)
  return Report.create(reportPath, path)
}
