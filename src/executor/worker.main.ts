import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { type Ask, AskError } from '../core/ask.ts'
import { readEnv } from '../core/env.ts'
import { createLog } from '../core/log.ts'
import { StartupError } from '../core/startup-error.ts'
import { runTool } from '../core/tool.ts'
import { viewerQuery } from './documents.ts'
import { Executor } from './executor.ts'
import { httpAsk } from './http-ask.ts'

// The executor as a process of its own, beside a server somewhere else.

await runTool(async signal => {
  const env = readEnv()
  const { ENGRAPH_URL: url, ENGRAPH_TOKEN: token, OLLAMA_URL, OPENAI_URL } = env
  if (!url) throw new StartupError('Set ENGRAPH_URL to the address of the GraphQL endpoint.')
  if (!token) throw new StartupError('Set ENGRAPH_TOKEN to a token of kind WORKER.')
  if (!OLLAMA_URL && !OPENAI_URL) throw new StartupError('Set OLLAMA_URL or OPENAI_URL.')
  const ask = httpAsk(url, token)
  const stopped = once(signal, 'abort')
  const isWorker = await Promise.race([checkWorker(ask, signal), stopped.then(() => false)])
  if (!isWorker) return 0
  const executor = Executor.of(env, { ask, log: createLog(env) })
  process.stdout.write(`The worker carries out runs of ${url}\n`)
  await stopped
  await executor.close()
  return 0
})

/** Waits for the server to be there. @throws StartupError for a token that is no worker's */
async function checkWorker(ask: Ask, signal: AbortSignal): Promise<true> {
  for (let isTold = false; ; ) {
    try {
      const { viewer } = await ask<{ viewer: { kind: string } }>(viewerQuery, {})
      if (viewer.kind === 'WORKER' || viewer.kind === 'ADMIN') return true
      throw new StartupError(`ENGRAPH_TOKEN is of kind ${viewer.kind}: a worker needs WORKER.`)
    } catch (error) {
      if (!(error instanceof AskError)) throw error
      if (error.code !== undefined && error.code !== 'SERVICE_BUSY') {
        throw new StartupError(`ENGRAPH_TOKEN does not hold: ${error.message}`)
      }
      if (!isTold) process.stderr.write(`Waiting for the server: ${error.message}\n`)
      isTold = true
      await delay(1_000, undefined, { signal })
    }
  }
}
