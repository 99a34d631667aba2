import pino from 'pino'
import pretty from 'pino-pretty'
import type { Env } from './env.ts'

export type Log = pino.Logger

/**
 * The log goes to standard error, so that what a command prints can be piped by itself; and it is
 * written at once, so that the last lines before an exit are not lost.
 */
export function createLog(env: Pick<Env, 'LOG_LEVEL' | 'LOG_FORMAT'>): Log {
  const options = { level: env.LOG_LEVEL, base: undefined }
  const { LOG_FORMAT: format } = env
  if (format === 'pretty' || (format === 'auto' && process.stderr.isTTY)) {
    return pino(options, pretty({ destination: 2, sync: true, ignore: 'pid,hostname' }))
  }
  return pino({ ...options, timestamp: pino.stdTimeFunctions.isoTime }, pino.destination(2))
}
