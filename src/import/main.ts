import { openCaller, runTool } from '../core/tool.ts'
import { operator } from '../identity/operator.ts'
import { runImport } from './run.ts'

await runTool(signal =>
  runImport(process.argv.slice(2), {
    open: () => openCaller(operator),
    stdout: process.stdout,
    stderr: process.stderr,
    signal,
  }),
)
