import fc from 'fast-check'
import { beforeAll, expect, it } from 'vitest'
import { build } from '../../scripts/build.mjs'
import { planOf } from './chaos/plan.ts'
import { type Outcome, playRound } from './chaos/round.ts'
import { openWorld } from './chaos/world.ts'

/*
 * A few short rounds; or as many as CHAOS_ROUNDS says, and their figures:
 *   CHAOS_ROUNDS=200 CHAOS_SEED=1 npx vitest run test/events/chaos.test.ts
 */
const { CHAOS_ROUNDS, CHAOS_SEED } = process.env
const rounds = Number(CHAOS_ROUNDS ?? 1)
const moves = 10

beforeAll(build, 60_000)

it(
  'brings every change once and in order to those who come back, whatever breaks meanwhile',
  async () => {
    const world = await openWorld()
    const outcomes: Outcome[] = []
    try {
      await fc.assert(
        fc.asyncProperty(fc.integer(), async seed => {
          const outcome = await playRound(world, planOf(seed, moves))
          outcomes.push(outcome)
          if (CHAOS_ROUNDS) report(outcomes)
          const { lost, twice, unknown, disordered, ended, errors } = outcome
          const wrong = { lost, twice, unknown, disordered, ended }
          const none = { lost: [], twice: [], unknown: [], disordered: [], ended: [] }
          expect(fewOf(wrong)).toEqual(none)
          // Who comes back too late is told so, and nobody was late.
          expect(errors.filter(code => code !== 'SERVICE_BUSY')).toEqual([])
        }),
        {
          numRuns: rounds,
          ...(CHAOS_SEED && { seed: Number(CHAOS_SEED) }),
          // A failure may need luck, so smaller plans would only seem to be right.
          endOnFailure: true,
        },
      )
    } finally {
      await world.close()
    }
  },
  60_000 + rounds * 60_000,
)

/** A failure need not name all of a thousand. */
const fewOf = (lists: Record<string, string[]>) =>
  Object.fromEntries(Object.entries(lists).map(([name, list]) => [name, list.slice(0, 5)]))

function report(outcomes: readonly Outcome[]): void {
  const sum = (count: (outcome: Outcome) => number) =>
    outcomes.reduce((total, outcome) => total + count(outcome), 0)
  const breakages: Record<string, number> = {}
  for (const outcome of outcomes) {
    for (const [what, count] of Object.entries(outcome.breakages)) {
      breakages[what] = (breakages[what] ?? 0) + count
    }
  }
  const figures = {
    rounds: outcomes.length,
    changes: sum(({ changes }) => changes),
    events: sum(({ events }) => events),
    connections: sum(({ connections }) => connections),
    ...breakages,
    errors: outcomes
      .flatMap(({ errors }) => errors)
      .reduce<Record<string, number>>((counts, code) => {
        counts[code] = (counts[code] ?? 0) + 1
        return counts
      }, {}),
    lost: sum(({ lost }) => lost.length),
    twice: sum(({ twice }) => twice.length),
    unknown: sum(({ unknown }) => unknown.length),
    disordered: sum(({ disordered }) => disordered.length),
  }
  process.stdout.write(`${JSON.stringify(figures)}\n`)
}
