import fc from 'fast-check'
import pino from 'pino'
import { beforeAll, expect, it } from 'vitest'
import type { Change } from '../../src/core/change.ts'
import { type Database, openDatabase } from '../../src/core/database.ts'
import { readPlace } from '../../src/events/change-stream.ts'
import type { Interest } from '../../src/events/changes.sql.ts'
import { openLog } from '../../src/events/log-identity.ts'
import { createTestDatabase } from '../support/test-database.ts'
import { Follower } from './stream/follower.ts'
import { History, type Subject, subjects, type Written } from './stream/history.ts'
import { type KnownPlace, Reader } from './stream/reader.ts'

const log = pino({ level: 'silent' })
const writers = 3

let db: Database
beforeAll(async () => {
  const database = await createTestDatabase()
  db = await openDatabase(database.url, { maxConnections: 8, log })
  return async () => {
    await db.close()
    await database.close()
  }
})

const interests: Interest[] = [
  { topic: 'a' },
  { topic: 'b' },
  { topic: 'a', subject: '2' },
  { topic: 'counted', subject: '1' },
]

type Move =
  | { what: 'write'; by: number; place: Subject; count: number }
  | { what: 'end'; by: number; how: 'commit' | 'rollback' }
  | { what: 'look'; reader: number }
  | { what: 'follow'; reader: number; interest: number; place: number; isBySeq: boolean }
  | { what: 'take'; follower: number; count: number }

const by = fc.nat(writers - 1)
const reader = fc.nat(1)
const move = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      what: fc.constant('write' as const),
      by,
      place: fc.constantFrom(...subjects),
      // More than a stream reads from the table at once, now and then.
      count: fc.oneof(
        { weight: 12, arbitrary: fc.integer({ min: 1, max: 4 }) },
        { weight: 1, arbitrary: fc.constant(120) },
      ),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      what: fc.constant('end' as const),
      by,
      how: fc.constantFrom('commit' as const, 'commit' as const, 'rollback' as const),
    }),
  },
  { weight: 4, arbitrary: fc.record({ what: fc.constant('look' as const), reader }) },
  {
    weight: 2,
    arbitrary: fc.record({
      what: fc.constant('follow' as const),
      reader,
      interest: fc.nat(interests.length - 1),
      place: fc.nat(),
      isBySeq: fc.boolean(),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      what: fc.constant('take' as const),
      follower: fc.nat(),
      count: fc.integer({ min: 1, max: 6 }),
    }),
  },
)

interface Followed {
  follower: Follower
  /** What it must get. */
  isExpected(written: Written): boolean
}

/** Plays the moves, and answers what was written and who followed. */
async function play(moves: readonly Move[], history: History, readers: readonly [Reader, Reader]) {
  const places: KnownPlace[] = [readers[0].place]
  const followed: Followed[] = []
  for (const one of moves) {
    if (one.what === 'write') await history.write(one.by, one.place, one.count)
    if (one.what === 'end') await history.end(one.by, one.how)
    if (one.what === 'look') {
      await readers[one.reader as 0 | 1].look()
      places.push(readers[one.reader as 0 | 1].place)
    }
    if (one.what === 'follow') {
      const interest = interests[one.interest] ?? { topic: 'a' }
      const place = places[one.place % places.length] ?? readers[0].place
      const seqs = history.written.filter(row => isOf(interest, row)).map(({ seq }) => seq ?? 0)
      const afterSeq =
        interest.topic === 'counted' && one.isBySeq
          ? (seqs[one.place % seqs.length] ?? 0)
          : undefined
      const reader = readers[one.reader as 0 | 1]
      const follower = new Follower({ reader, interest, start: place.position, afterSeq })
      const isExpected = ({ id, seq }: Written) =>
        afterSeq === undefined ? !place.before.has(id) : (seq ?? 0) > afterSeq
      followed.push({ follower, isExpected })
    }
    if (one.what === 'take') followed[one.follower % followed.length]?.follower.allow(one.count)
  }
  return followed
}

it('brings all that is new and of interest once, and behind the cursor of each the rest', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(move, { minLength: 10, maxLength: 60 }),
      fc.record({ batch: fc.integer({ min: 1, max: 8 }), kept: fc.integer({ min: 1, max: 20 }) }),
      async (moves, small) => {
        const history = await History.begin(db.pool, writers)
        const { epoch, end: start } = await openLog(db, log)
        const readers = [
          new Reader(db, epoch, { start, ...small }),
          new Reader(db, epoch, { start, batch: 50, kept: 1_000 }),
        ] as const
        const followed = await play(moves, history, readers)
        await history.close()
        for (const each of readers) await each.lookAtAll()

        for (const { follower, isExpected } of followed) {
          const { interest } = follower
          const expected = history.written.filter(row => isOf(interest, row) && isExpected(row))
          const last = idsOf(expected).at(-1) ?? 0n
          const taken = await follower.upTo(last)
          expect(idsOf(taken)).toEqual(idsOf(expected))
          expect(isInOrder(taken)).toBe(true)

          const middle = taken[Math.floor(taken.length / 2)]
          for (const [number, change] of taken.entries()) {
            if (change.id === last || (change !== taken[0] && change !== middle)) continue
            for (const reader of readers) {
              const resumed = new Follower({ reader, interest, ...behind(change, follower, epoch) })
              const rest = await resumed.upTo(last)
              expect(idsOf(rest)).toEqual(idsOf(taken.slice(number + 1)))
              expect(isInOrder(rest)).toBe(true)
            }
          }
        }
      },
    ),
    { numRuns: Number(process.env.STREAM_RUNS ?? 25), endOnFailure: true },
  )
}, 60_000)

const isOf = ({ topic, subject }: Interest, row: { topic: string; subject: string }) =>
  row.topic === topic && (subject === undefined || row.subject === subject)

const idsOf = (changes: readonly { id: bigint }[]) =>
  changes.map(({ id }) => id).sort((a, b) => Number(a - b))

/** Of each subject, as they were written. */
function isInOrder(changes: readonly Change[]): boolean {
  const last = new Map<string, bigint>()
  return changes.every(({ subject, id }) => {
    const isLater = id > (last.get(subject) ?? 0n)
    last.set(subject, id)
    return isLater
  })
}

function behind({ cursor, seq }: Change, { start, afterSeq }: Follower, epoch: string) {
  return afterSeq === undefined
    ? { start: readPlace(cursor, epoch) }
    : { start, afterSeq: seq ?? 0 }
}
