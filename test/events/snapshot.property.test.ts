import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Position } from '../../src/events/position.ts'
import { Snapshot } from '../../src/events/snapshot.ts'

const epoch = 'an epoch'

/** Snapshots that one server takes while transactions begin and end, as PostgreSQL counts them. */
const history = fc
  .array(fc.oneof(fc.constant('begin'), fc.constant('look'), fc.nat({ max: 5 })), { maxLength: 60 })
  .map(moves => {
    const running: bigint[] = []
    const taken: { snapshot: Snapshot; ended: Set<bigint> }[] = []
    const ended = new Set<bigint>()
    let next = 10n
    for (const move of moves) {
      if (move === 'begin') running.push(next++)
      else if (move === 'look') {
        const xmin = running[0] ?? next
        const text = `${xmin}:${next}:${running.join(',')}`
        const snapshot = Snapshot.read(text)
        if (!snapshot) throw new Error(text)
        taken.push({ snapshot, ended: new Set(ended) })
      } else {
        const [xact] = running.splice(Number(move) % Math.max(1, running.length), 1)
        if (xact !== undefined) ended.add(xact)
      }
    }
    return { taken, last: next }
  })

describe('a snapshot', () => {
  it('sees what had ended when it was taken, and nothing else', () => {
    fc.assert(
      fc.property(history, ({ taken, last }) => {
        for (const { snapshot, ended } of taken) {
          for (let xact = 10n; xact <= last; xact++) {
            expect(snapshot.sees(xact)).toBe(ended.has(xact))
          }
        }
      }),
    )
  })

  it('covers those that were taken before it, and of the later ones those that see no more', () => {
    fc.assert(
      fc.property(history, ({ taken }) => {
        for (const one of taken) {
          for (const other of taken) {
            const seesAll = [...other.ended].every(xact => one.ended.has(xact))
            expect(one.snapshot.covers(other.snapshot)).toBe(seesAll)
          }
        }
      }),
    )
  })

  it('up to a transaction sees what it saw of it and of those before, and comes back from its text', () => {
    fc.assert(
      fc.property(history, fc.bigInt({ min: 0n, max: 40n }), ({ taken, last }, bound) => {
        for (const { snapshot } of taken) {
          const lower = snapshot.upTo(bound)
          for (let xact = 0n; xact <= last; xact++) {
            expect(lower.sees(xact)).toBe(xact <= bound && snapshot.sees(xact))
          }
          expect(Snapshot.read(lower.text)).toEqual(lower)
          expect(snapshot.covers(lower)).toBe(true)
        }
      }),
    )
  })

  it('or another sees what either of them sees, and comes back from its text', () => {
    fc.assert(
      fc.property(history, fc.bigInt({ min: 9n, max: 40n }), ({ taken, last }, bound) => {
        for (const { snapshot: one } of taken) {
          for (const { snapshot } of taken) {
            const other = snapshot.upTo(bound)
            const both = one.or(other)
            for (let xact = 0n; xact <= last; xact++) {
              expect(both.sees(xact)).toBe(one.sees(xact) || other.sees(xact))
            }
            expect(Snapshot.read(both.text)).toEqual(both)
          }
        }
      }),
    )
  })

  it('with a transaction sees it and what it saw before, and comes back from its text', () => {
    fc.assert(
      fc.property(history, fc.bigInt({ min: 10n, max: 40n }), ({ taken, last }, added) => {
        for (const { snapshot } of taken) {
          const more = snapshot.with(added)
          for (let xact = 0n; xact <= last + 40n; xact++) {
            expect(more.sees(xact)).toBe(snapshot.sees(xact) || xact === added)
          }
          expect(Snapshot.read(more.text)).toEqual(more)
          expect(more.covers(snapshot)).toBe(true)
        }
      }),
    )
  })

  it.each(['', '5', '5:4:', '5:9:4', '5:9:9', '5:9:6,', 'a:b:', '5:9:6;7', `1:${'9'.repeat(30)}:`])(
    'is none of «%s»',
    text => {
      expect(Snapshot.read(text)).toBeUndefined()
    },
  )
})

describe('a position', () => {
  it('comes back from its cursor', () => {
    fc.assert(
      fc.property(history, fc.bigInt({ min: 0n, max: 10n ** 17n }), ({ taken }, id) => {
        const [first, second] = taken.map(({ snapshot }) => snapshot)
        if (!first || !second) return
        for (const position of [new Position(first), new Position(first, second, id)]) {
          expect(Position.read(position.write(epoch), epoch)).toEqual(position)
          expect(Position.read(position.write(epoch), 'another')).toBe('foreign')
        }
      }),
    )
  })

  it('is none of any other text', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), text => {
        expect(Position.read(text, epoch)).toBeUndefined()
        const encoded = Buffer.from(text).toString('base64url')
        expect(Position.read(encoded, epoch)).toBeUndefined()
      }),
    )
  })
})
