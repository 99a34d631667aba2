import { Cron } from 'croner'
import { badInput } from '../core/errors.ts'
import { isObject, type Json, type JsonObject } from '../core/json.ts'
import type { Process } from '../generated/prisma/client.ts'

/** When a process starts by itself, and with what: `metadata.schedule`. */
export interface Schedule {
  cron: string
  timeZone: string
  /** What happens where the last run that it started has not ended: nothing, or one more run. */
  overlap: 'skip' | 'queue'
  inputText: string | null
  inputPayload: Json
}

const members = new Set(['cron', 'timeZone', 'overlap', 'inputText', 'inputPayload'])

/**
 * The schedule in a process's metadata, or null where there is none.
 * @throws BAD_USER_INPUT for one that is wrong
 */
export function readSchedule(metadata: JsonObject, field: string): Schedule | null {
  const { schedule } = metadata
  if (schedule == null) return null
  const wrong = (what: string) => badInput(`metadata.schedule${what}`, field)
  if (!isObject(schedule)) throw wrong(' must be an object.')
  const {
    cron,
    timeZone = 'UTC',
    overlap = 'skip',
    inputText = null,
    inputPayload = null,
  } = schedule
  const unknown = Object.keys(schedule).find(name => !members.has(name))
  if (unknown !== undefined) throw wrong(` has no member ${JSON.stringify(unknown)}.`)
  // A date with a time is taken for a pattern that fires once.
  if (typeof cron !== 'string' || cron.includes(':')) {
    throw wrong('.cron must be a cron expression.')
  }
  if (typeof timeZone !== 'string' || timeZone === '' || !isTimeZone(timeZone)) {
    throw wrong('.timeZone must be the name of a time zone, such as Europe/Berlin.')
  }
  if (overlap !== 'skip' && overlap !== 'queue') throw wrong('.overlap must be skip or queue.')
  if (inputText !== null && typeof inputText !== 'string') throw wrong('.inputText must be text.')
  const read: Schedule = { cron, timeZone, overlap, inputText, inputPayload }
  try {
    cronOf(read)
  } catch (error) {
    throw wrong(`.cron is no cron expression that can be kept: ${(error as Error).message}.`)
  }
  return read
}

function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }) !== undefined
  } catch {
    return false
  }
}

/**
 * The first time behind another: five fields from minutes on, or six from seconds on. Where seconds,
 * minutes and hours have no `*` and no `/`, a time of day that the clock leaves out is kept when it goes
 * on, and one that comes twice is kept once.
 */
export const nextTime = (schedule: Schedule, after: Date): Date | null =>
  cronOf(schedule).nextRun(after)

const cronOf = ({ cron, timeZone }: Schedule) =>
  new Cron(cron, { timezone: timeZone, mode: '5-or-6-parts', fixedTimeRule: 'no-wildcard' })

/** When a process starts by itself next; null where it does not. */
export function nextRunAt(process: Process): Date | null {
  const schedule = activeSchedule(process)
  return schedule && nextTime(schedule, new Date())
}

/** The schedule that a process goes by. What is wrong with one that is stored was told when it was given. */
export function activeSchedule({ status, autoRun, metadata }: Process): Schedule | null {
  if (status !== 'active' || !autoRun || !isObject(metadata as Json)) return null
  try {
    return readSchedule(metadata as JsonObject, 'metadata')
  } catch {
    return null
  }
}

/**
 * @param isGiven whether the schedule is new: one whose last time is over stays as it is
 * @throws BAD_USER_INPUT for a process that should start by itself and does not say when
 */
export function checkSchedule({ autoRun, metadata }: Process, isGiven: boolean): void {
  const schedule = readSchedule(metadata as JsonObject, 'input.metadata')
  if (schedule && isGiven && nextTime(schedule, new Date()) === null) {
    throw badInput('metadata.schedule has no time to come.', 'input.metadata')
  }
  if (autoRun && !schedule) {
    throw badInput('A process that starts by itself needs metadata.schedule.', 'input.autoRun')
  }
}
