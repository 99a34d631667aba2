// Times the statements of the concept graph on a million links.
//   npm run build
//   DATABASE_URL=postgres://… node bench/graph-traversal.mjs [--plans]
// The database is migrated and filled when it is empty, and left as it is when the data is there.
// --plans prints what EXPLAIN (ANALYZE, BUFFERS) says instead of the times.
import { readFile } from 'node:fs/promises'
import { childPage } from '../dist/core/connection.js'
import { openDatabase } from '../dist/core/database.js'
import { Loaders } from '../dist/core/loaders.js'
import { migrate } from '../dist/core/migrations/migrations.js'
import { raw } from '../dist/core/sql.js'
import { isNear } from '../dist/graph/near.sql.js'
import { neighborhood } from '../dist/graph/neighborhood.sql.js'
import { degrees, neighborOrder, neighbors } from '../dist/graph/neighbors.sql.js'
import { path } from '../dist/graph/path.sql.js'
import { relationTypeCounts, relationTypeNames } from '../dist/graph/relation-types.sql.js'

const print = line => process.stdout.write(`${line}\n`)
const url = process.env.DATABASE_URL
if (!url) throw new Error('DATABASE_URL is not set')
const plans = process.argv.includes('--plans')

const log = { info: print, warn: print }
await migrate(url, { log })
const db = await openDatabase(url, { maxConnections: 1, log })
const { pool } = db
await fill()
const on = plans ? explaining(pool) : pool
const { rows: versions } = await pool.query('show server_version')
print(`PostgreSQL ${versions[0].server_version}`)
if (!plans) print('\n| case | median ms | p95 ms | max ms | found |\n|---|---|---|---|---|')

const hubs = [2301, 2302, 2303, 2304, 2305]
const random = randomNumbers(7)
const anyConcept = () => 2306 + Math.floor(random() * 197_695)
const list = (length, of) => Array.from({ length }, (_, n) => of(n))
const ordinary = list(100, anyConcept)
const pairs = list(300, () => [anyConcept(), anyConcept()])
const fifty = list(50, n => (n === 0 ? 'located_in' : `type ${n}`))

await neighborhoods('an ordinary concept', ordinary)
await neighborhoods('an ordinary concept, OUT', ordinary, { direction: 'OUT' })
await neighborhoods('an ordinary concept, 1 type of 8', ordinary, { relationTypes: ['is_a'] })
await neighborhoods('the five hubs', hubs)
await neighborhoods('the five hubs, 50 types', hubs, { relationTypes: fifty })
await neighborhoods(
  'concepts next to the largest hub',
  list(100, n => 2311 + n * 3),
)
await neighborhoods('an ordinary concept, depth 6, 1,000', ordinary, { depth: 6, maxNodes: 1_000 })
await neighborhoods('a complete graph of 300', [7])
await neighborhoods('a cycle, depth 6', [1500], { depth: 6 })

await paths('between any two, OUT', pairs, { direction: 'OUT' })
await paths('between any two, BOTH', pairs, { direction: 'BOTH' })
await paths('of length 6, OUT', await ofLength(6), { direction: 'OUT' })
await paths(
  'from the largest hub, OUT',
  pairs.slice(0, 100).map(([, to]) => [2301, to]),
)
await paths('of length 12 along a chain', [[400, 412]])
await paths('none: out of a complete graph to a hub, BOTH', [[1, 2301]], { direction: 'BOTH' })

for (const depth of [1, 2, 3, 6]) {
  await linksNear(`an ordinary concept, depth ${depth}`, pairs, depth)
  await linksNear(
    `the largest hub, depth ${depth}`,
    pairs.map(([, end]) => [2301, end]),
    depth,
  )
}
await measure('near: 10,000 neighbours of one deleted, a hub, depth 3', [1], () =>
  isNear(on, 2301n, [[{ ids: list(10_000, anyConcept).map(BigInt), hops: 2 }]]),
)
await measure('near: out of the complete graph, a hub, depth 6', [1], () =>
  isNear(on, 2301n, [[{ ids: [7n], hops: 6 }]]),
)

await neighborPages('of the largest hub, BOTH', [[2301]])
await neighborPages('of the largest hub, 50 types', [[2301]], 'BOTH', fifty)
await neighborPages('of 100 concepts and the hubs', [[...hubs, ...ordinary]])
await measure('degrees of 1,000 concepts and the hubs', [1], () =>
  degrees(on, [...hubs, ...list(1_000, anyConcept)].map(BigInt), 'BOTH'),
)
const names = await relationTypeNames(pool)
await measure('names of the relation types', [1], () => relationTypeNames(on))
await measure('links of all eight types', [1], () => relationTypeCounts(on, names))
await db.close()

function neighborhoods(name, starts, args) {
  const usual = { depth: 3, direction: 'BOTH', relationTypes: null, maxNodes: 500 }
  return measure(`neighborhood: ${name}`, starts, start =>
    neighborhood(on, { ...usual, ...args, maxLinks: 100_000, conceptId: BigInt(start) }),
  )
}

function paths(name, ends, args) {
  return measure(`path: ${name}`, ends, ([from, to]) => findPath(on, from, to, args))
}

function findPath(from, a, b, args) {
  const usual = { direction: 'OUT', relationTypes: null, maxDepth: 12 }
  return path(from, { ...usual, ...args, from: BigInt(a), to: BigInt(b) })
}

async function ofLength(length) {
  const found = []
  for (const pair of pairs) {
    if ((await findPath(pool, ...pair))?.links.length === length) found.push(pair)
  }
  return found
}

/** A link that was removed between any two concepts. */
function linksNear(name, ends, depth) {
  return measure(`near: a removed link, ${name}`, ends, ([centre, end], other = anyConcept()) => {
    const [from, to] = [BigInt(end), BigInt(other)]
    const within = ids => ({ ids, hops: depth })
    return isNear(on, BigInt(centre), [
      [{ ids: [from, to], hops: depth - 1 }],
      [within([from]), within([to])],
    ])
  })
}

function neighborPages(name, groups, direction = 'BOTH', relationTypes = null) {
  const source = neighbors(direction, relationTypes, raw('true'))
  return measure(`neighbors: first 20 ${name}`, groups, ids => {
    const caller = { db: { pool: on }, loaders: new Loaders() }
    const page = id => childPage(caller, BigInt(id), source, neighborOrder, { first: 20 })
    return Promise.all(ids.map(page))
  })
}

/** Runs each input once to warm up and then, few inputs several times, against the clock. */
async function measure(name, inputs, run) {
  if (plans) {
    print(`\n## ${name}\n`)
    await run(inputs[0])
    return
  }
  for (const input of inputs) await run(input)
  const times = []
  let found = ''
  for (let turn = 0; turn < Math.ceil(30 / inputs.length); turn += 1) {
    for (const input of inputs) {
      const start = performance.now()
      const result = await run(input)
      times.push(performance.now() - start)
      if (result?.links) found = `${result.concepts.length} concepts, ${result.links.length} links`
    }
  }
  times.sort((a, b) => a - b)
  const at = share => (times[Math.ceil(times.length * share) - 1] ?? 0).toFixed(1)
  const last = inputs.length === 1 ? found : ''
  print(`| ${name} (${inputs.length}) | ${at(0.5)} | ${at(0.95)} | ${at(1)} | ${last} |`)
}

async function fill() {
  const { rows } = await pool.query('select count(*)::int as links from links')
  if (rows[0].links > 0) return
  await pool.query(await readFile(new URL('graph-dataset.sql', import.meta.url), 'utf8'))
  await pool.query('vacuum analyze concepts')
  await pool.query('vacuum analyze links')
}

/** Answers no rows, and prints the plan that each statement has when it is warm. */
function explaining(real) {
  return {
    async query(statement) {
      await real.query(statement)
      const text = `explain (analyze, buffers) ${statement.text}`
      const { rows } = await real.query({ text, values: statement.values })
      print(rows.map(row => row['QUERY PLAN']).join('\n'))
      return { rows: [] }
    },
  }
}

/** The same numbers on every machine, from 0 to 1. */
function randomNumbers(seed) {
  let state = seed
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return state / 2_147_483_648
  }
}
