import fc from 'fast-check'

/** How many runs are written to, and by how many at once. */
export const runs = 50
const writers = 8
/** Of the writers, those that use the API; the others write by SQL, where a transaction can be held open. */
const apiWriters = 4
const subscribers = 9

/** One transaction of somebody who writes past the API. */
export interface SqlMove {
  /** Milliseconds before it, and between its writes and its end. */
  rest: number
  hold: number
  isKept: boolean
  /** Places of the runs that it writes to. */
  runs: number[]
  /** To each. */
  changes: number
  concepts: number
}

export interface ApiMove {
  rest: number
  what: 'start' | 'work' | 'ask' | 'cancel' | 'concept'
}

export type Fault = { rest: number; on: number } & (
  | { what: 'cut socket' | 'kill server' | 'end listener' }
  | { what: 'restart PostgreSQL' | 'crash PostgreSQL' }
)

/** What happens in one round, and when. */
export interface Plan {
  sqlWriters: SqlMove[][]
  apiWriters: ApiMove[][]
  faults: Fault[]
  /** Of each subscriber, after how many events of a connection it cuts it. */
  cuts: number[][]
  /** A few subscribers follow one run each: their places. */
  followed: number[]
}

const weighted = (...choices: [weight: number, arbitrary: fc.Arbitrary<number>][]) =>
  fc.oneof(...choices.map(([weight, arbitrary]) => ({ weight, arbitrary })))

const rest = fc.nat(120)

const sqlMove: fc.Arbitrary<SqlMove> = fc.record({
  rest,
  hold: weighted(
    [6, fc.constant(0)],
    [4, fc.nat(200)],
    [1, fc.integer({ min: 1_000, max: 2_000 })],
  ),
  isKept: fc.integer({ min: 1, max: 4 }).map(number => number > 1),
  runs: fc
    .uniqueArray(fc.nat(runs - 1), { minLength: 1, maxLength: 3 })
    // Locked in the same order by all.
    .map(places => places.sort((a, b) => a - b)),
  // Now and then more than a stream reads at once, and more than the reader does.
  changes: weighted(
    [60, fc.integer({ min: 1, max: 4 })],
    [2, fc.constant(130)],
    [1, fc.constant(1_100)],
  ),
  concepts: fc.nat(3),
})

const apiMove: fc.Arbitrary<ApiMove> = fc.record({
  rest,
  what: fc.constantFrom('start', 'work', 'work', 'ask', 'cancel', 'concept'),
})

const fault = fc.record({
  rest: fc.nat(600),
  on: fc.nat(subscribers - 1),
  what: fc.oneof(
    { weight: 4, arbitrary: fc.constant('cut socket' as const) },
    { weight: 2, arbitrary: fc.constant('end listener' as const) },
    { weight: 2, arbitrary: fc.constant('kill server' as const) },
    { weight: 1, arbitrary: fc.constant('restart PostgreSQL' as const) },
    { weight: 1, arbitrary: fc.constant('crash PostgreSQL' as const) },
  ),
}) satisfies fc.Arbitrary<Fault>

const some = <Item>(item: fc.Arbitrary<Item>, length: number) =>
  fc.array(item, { minLength: length, maxLength: length })

/** The seed alone stands for it, since a plan takes pages. */
export function planOf(seed: number, moves: number): Plan {
  const [plan] = fc.sample(plans(moves), { seed, numRuns: 1 })
  if (!plan) throw new Error('no plan was made')
  return plan
}

const plans = (moves: number): fc.Arbitrary<Plan> =>
  fc.record({
    sqlWriters: some(some(sqlMove, moves), writers - apiWriters),
    apiWriters: some(some(apiMove, moves), apiWriters),
    faults: fc.array(fault, { minLength: 4, maxLength: 8 }),
    cuts: some(fc.array(fc.integer({ min: 1, max: 150 }), { maxLength: 4 }), subscribers),
    followed: some(fc.nat(runs - 1), 4),
  })
