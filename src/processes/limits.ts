import { badInput } from '../core/errors.ts'
import { isObject, type JsonObject } from '../core/json.ts'

/** For how many seconds a run may be queued, running and waiting, where its process says nothing. */
export const defaultLimits = {
  queueSeconds: 604_800,
  runSeconds: 3_600,
  waitSeconds: 604_800,
} as const

export type TimeLimit = keyof typeof defaultLimits

const maxSeconds = 31_536_000

/**
 * `limits` in the metadata of a process: other time limits for its runs.
 * @throws BAD_USER_INPUT for one that is unknown or no number of seconds up to a year
 */
export function checkLimits({ limits }: JsonObject, field: string): void {
  if (limits === undefined) return
  if (!isObject(limits)) throw badInput('limits must be an object.', `${field}.limits`)
  for (const [name, seconds] of Object.entries(limits)) {
    const at = `${field}.limits.${name}`
    if (!Object.hasOwn(defaultLimits, name)) {
      const known = Object.keys(defaultLimits).join(', ')
      throw badInput(`There is no such limit; those that there are: ${known}.`, at)
    }
    if (!(Number.isInteger(seconds) && Number(seconds) >= 1 && Number(seconds) <= maxSeconds)) {
      throw badInput('A limit must be a whole number of seconds from 1 to 31,536,000.', at)
    }
  }
}
