import fc from 'fast-check'
import { expect, it } from 'vitest'
import { ChangeRecord } from '../../src/events/change-record.ts'
import { Position } from '../../src/events/position.ts'
import { Ring } from '../../src/events/ring.ts'
import { Snapshot } from '../../src/events/snapshot.ts'

const epoch = 'an epoch'

/** Right behind so many transactions. */
function placeBehind(xact: number): Position {
  const snapshot = Snapshot.read(`${xact + 1}:${xact + 1}:`)
  if (!snapshot) throw new Error('no snapshot')
  return new Position(snapshot)
}

function changeOf(id: number, bytes: number): ChangeRecord {
  const row = { id: BigInt(id), xact: String(id), topic: 'a', subject: 'b', seq: null }
  const rest = { payload: {}, createdAt: new Date(0), bytes }
  return ChangeRecord.of({ ...row, ...rest }, placeBehind(id), epoch)
}

const limits = fc.record({
  changes: fc.integer({ min: 1, max: 20 }),
  bytes: fc.integer({ min: 1, max: 10_000 }),
})
/** Bytes of the changes of each batch; now and then the reader begins anew instead. */
const moves = fc.array(
  fc.oneof(
    { weight: 10, arbitrary: fc.array(fc.nat(2_000), { maxLength: 8 }) },
    { weight: 1, arbitrary: fc.constant('restart' as const) },
  ),
  { maxLength: 30 },
)

it('keeps the latest changes within its limits, and knows what comes right before them', () => {
  fc.assert(
    fc.property(limits, moves, (limits, moves) => {
      const ring = new Ring(placeBehind(0), limits)
      const pushed: ChangeRecord[] = []
      let lastBatch = 0
      let last = 0
      for (const move of moves) {
        if (move === 'restart') {
          // It has missed something.
          last += 1
          ring.restart(placeBehind(last))
          lastBatch = 0
        } else {
          const changes = move.map(bytes => changeOf(++last, bytes))
          ring.push(changes, placeBehind(last))
          pushed.push(...changes)
          if (changes.length > 0) lastBatch = changes.length
        }
        const kept = ring.next - ring.first
        expect(ring.next).toBe(pushed.length)
        expect(kept).toBeGreaterThanOrEqual(lastBatch)
        expect(kept).toBeLessThanOrEqual(Math.max(limits.changes, lastBatch))
        for (let number = 0; number <= pushed.length; number++) {
          expect(ring.at(number)).toBe(number < ring.first ? undefined : pushed[number])
        }
        expect(ring.end).toEqual(placeBehind(last))
        const first = ring.at(ring.first)
        if (first) expect(ring.start.has(first)).toBe(false)
        const before = ring.first > 0 ? pushed[ring.first - 1] : undefined
        if (before) expect(ring.start.has(before)).toBe(true)
      }
    }),
  )
})
