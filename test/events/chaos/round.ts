import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { graphql } from '../../generated/gql.ts'
import { type Breakages, breakThings } from './faults.ts'
import { feedOfGraph, feedOfRun, feedOfRuns, keyOfRow } from './feeds.ts'
import { type Plan, runs as runCount } from './plan.ts'
import { Subscriber } from './subscriber.ts'
import type { World } from './world.ts'
import { connect, writeAllByApi, writeAllBySql, writeBySql } from './writers.ts'

/** What came of a round. Where the feed is right, all lists are empty. */
export interface Outcome {
  changes: number
  events: number
  connections: number
  breakages: Breakages
  /** Codes of the errors that subscribers were told. */
  errors: string[]
  lost: string[]
  twice: string[]
  unknown: string[]
  disordered: string[]
  /** Servers that ended by themselves, and why. */
  ended: string[]
}

interface Row {
  topic: 'run' | 'graph'
  subject: string
  seq: number | null
  name: string | null
}

const Position = graphql(`query ChaosPosition { runs(first: 0) { changesCursor } }`)

export async function playRound(world: World, plan: Plan): Promise<Outcome> {
  const { postgres, clients, code, instances } = world
  const runs = await makeRuns(world)
  const { begin, lastId } = await beginning(world)
  const followed = [...new Set(plan.followed)].map(place => runs[place] ?? '')
  const feeds = [
    ...[1, 2, 3].map(() => feedOfRuns(begin)),
    ...followed.map(feedOfRun),
    ...[1, 2].map(() => feedOfGraph(begin)),
  ]
  const subscribers = feeds.map(
    (feed, number) => new Subscriber(feed, clients, plan.cuts[number] ?? [], number),
  )
  const breaking = breakThings(world, plan.faults, subscribers)
  await Promise.all([
    ...plan.sqlWriters.map(moves => writeAllBySql(postgres.url, runs, moves)),
    ...plan.apiWriters.map(moves => writeAllByApi(clients, code, moves)),
    breaking,
  ])
  await Promise.all(instances.map(instance => instance.up()))
  await writeLast(world, runs)

  const rows = await world.query<Row>(
    `select topic, subject, seq, payload ->> 'name' as name from core.changes
      where id > $1 and topic in ('run', 'graph') order by id`,
    [lastId],
  )
  const outcome: Outcome = {
    changes: rows.length,
    ...{ events: 0, connections: 0, breakages: await breaking },
    ...{ errors: [], lost: [], twice: [], unknown: [], disordered: [] },
    ended: instances.flatMap(({ ends }) => ends),
  }
  for (const subscriber of subscribers) {
    const expected = rows.filter(row => isIn(subscriber, row)).map(keyOf)
    await untilSeen(subscriber, expected)
    await subscriber.stop()
    judge(subscriber, expected, outcome)
  }
  return outcome
}

/** Each round has runs of its own, which no worker is given. */
async function makeRuns({ query }: World): Promise<string[]> {
  const made = await query<{ id: string }>(
    `with process as (insert into processes (code, name) values ($1, $1) returning id)
      insert into process_runs (process_id) select id from process, generate_series(1, $2) returning id`,
    [randomUUID(), runCount],
  )
  return made.map(({ id }) => id)
}

/** A cursor behind all that there is, which nobody writes to now. */
async function beginning({ query, clients }: World): Promise<{ begin: string; lastId: string }> {
  const [last] = await query<{ id: string; xact: string }>(
    `select coalesce(max(id), 0)::text as id, coalesce(max(xact::text::bigint), 0)::text as xact from core.changes`,
  )
  for (;;) {
    const begin = (await clients[0]?.run(Position))?.runs.changesCursor ?? ''
    const [, seen, upto] = JSON.parse(Buffer.from(begin, 'base64url').toString())
    const [row] = await query<{ isBehind: boolean }>(
      `select bool_and(pg_visible_in_snapshot(xact, $1)) as "isBehind" from core.changes`,
      [upto ?? seen],
    )
    if (row?.isBehind !== false) return { begin, lastId: last?.id ?? '0' }
    await sleep(100)
  }
}

/** The last change of all that anybody follows, which ends the wait of those who follow. */
async function writeLast({ postgres }: World, runs: readonly string[]): Promise<void> {
  const client = await connect(postgres.url)
  const places = runs.map((_, place) => place)
  await writeBySql(client, runs, { hold: 0, isKept: true, runs: places, changes: 1, concepts: 1 })
  await client.end()
}

const isIn = ({ feed: { name } }: Subscriber, { topic, subject }: Row) =>
  name === 'graphChanges'
    ? topic === 'graph'
    : topic === 'run' && (name === 'runChanges' || name === `runEvents of ${subject}`)

const keyOf = ({ topic, subject, seq, name }: Row) =>
  topic === 'run' ? keyOfRow.run(subject, seq ?? 0) : keyOfRow.graph(name ?? '')

async function untilSeen({ seen }: Subscriber, expected: readonly string[]): Promise<void> {
  const last = expected.at(-1) ?? ''
  for (let waited = 0; waited < 60_000 && !seen.includes(last); waited += 20) await sleep(20)
}

function judge({ feed, seen, errors, connections }: Subscriber, expected: string[], to: Outcome) {
  to.events += seen.length
  to.connections += connections
  to.errors.push(...errors)
  const told = (keys: string[]) => keys.map(key => `${feed.name}: ${key}`)
  const all = new Set(expected)
  const once = new Set(seen)
  to.lost.push(...told(expected.filter(key => !once.has(key))))
  to.unknown.push(...told(seen.filter(key => !all.has(key))))
  to.twice.push(...told(seen.filter((key, place) => seen.indexOf(key) !== place)))
  if (feed.name === 'graphChanges') return
  const next = nextSeqs(expected)
  for (const key of seen) {
    const [run, seq] = partsOf(key)
    if (seq !== next.get(run)) to.disordered.push(...told([key]))
    next.set(run, seq + 1)
  }
}

/** Of each run its first. */
function nextSeqs(keys: readonly string[]): Map<string, number> {
  const next = new Map<string, number>()
  for (const [run, seq] of keys.map(partsOf)) next.set(run, Math.min(seq, next.get(run) ?? seq))
  return next
}

function partsOf(key: string): [run: string, seq: number] {
  const [run = '', seq] = key.split(' ')
  return [run, Number(seq)]
}
