import { describe, expect, it } from 'vitest'
import { nextTime, readSchedule } from '../../src/processes/schedule.ts'

function times(cron: string, timeZone: string, after: string, count: number): string[] {
  const schedule = readSchedule({ schedule: { cron, timeZone } }, 'input.metadata')
  if (!schedule) throw new Error('no schedule')
  const found: string[] = []
  for (let at: Date | null = new Date(after); at && found.length < count; ) {
    at = nextTime(schedule, at)
    if (at) found.push(at.toISOString())
  }
  return found
}

describe('a schedule', () => {
  it('has its times in its time zone', () => {
    expect(times('0 9 * * 1', 'Europe/Berlin', '2026-06-01T08:00:00Z', 2)).toEqual([
      '2026-06-08T07:00:00.000Z',
      '2026-06-15T07:00:00.000Z',
    ])
  })

  it('keeps a time that the clock leaves out on that day once', () => {
    const found = times('30 2 * * *', 'Europe/Berlin', '2026-03-28T12:00:00Z', 2)
    expect(found).toEqual(['2026-03-29T01:00:00.000Z', '2026-03-30T00:30:00.000Z'])
  })

  it('keeps a time that comes twice on that day once', () => {
    const found = times('30 2 * * *', 'Europe/Berlin', '2026-10-24T12:00:00Z', 2)
    expect(found).toEqual(['2026-10-25T00:30:00.000Z', '2026-10-26T01:30:00.000Z'])
  })

  it('keeps times of a list and a range so as well', () => {
    const found = times('0,30 2-3 * * *', 'Europe/Berlin', '2026-10-24T12:00:00Z', 4)
    expect(found.map(at => at.slice(11, 16))).toEqual(['00:00', '00:30', '02:00', '02:30'])
  })

  it.each([
    ['no object', 'daily'],
    ['no cron', {}],
    ['no cron expression', { cron: 'now and then' }],
    ['a minute that there is not', { cron: '61 * * * *' }],
    ['a date', { cron: '2027-01-01T00:00:00' }],
    ['an empty time zone', { cron: '* * * * *', timeZone: '' }],
    ['too many fields', { cron: '* * * * * * *' }],
    ['another time zone', { cron: '* * * * *', timeZone: 'Middle/Earth' }],
    ['another overlap', { cron: '* * * * *', overlap: 'pile' }],
    ['another member', { cron: '* * * * *', tz: 'UTC' }],
    ['an input that is no text', { cron: '* * * * *', inputText: 5 }],
  ])('is refused with %s', (_what, schedule) => {
    expect(() => readSchedule({ schedule }, 'input.metadata')).toThrow(
      expect.objectContaining({ code: 'BAD_USER_INPUT', field: 'input.metadata' }),
    )
  })
})
