// Times how long changes take from their commit to subscribers of one server, and counts what they cost.
//   npm run build
//   DATABASE_URL=postgres://… node bench/live-latency.mjs [--seconds=20] [--rate=200] [--subscribers=100]
// The database is migrated, and keeps the runs that are made. The server is a process of its own. The
// changes come from this process, as from another instance, and it has the subscribers too: so one
// clock says when a change was committed and when it came.
import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import WebSocket from 'ws'
import { openDatabase } from '../dist/core/database.js'
import { Loaders } from '../dist/core/loaders.js'
import { migrate } from '../dist/core/migrations/migrations.js'
import { PostgresBus } from '../dist/events/postgres-bus.js'
import { ensureAdmin } from '../dist/identity/first-start.js'
import { operator } from '../dist/identity/operator.js'
import { createToken } from '../dist/identity/tokens.js'

const executions = 'engraph_stream_executions_total'
const cpu = 'process_cpu_seconds_total'
const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '20' },
    rate: { type: 'string', default: '200' },
    subscribers: { type: 'string', default: '100' },
  },
})
const seconds = Number(values.seconds)
const printLine = line => process.stdout.write(`${line}\n`)
const url = process.env.DATABASE_URL
if (!url) throw new Error('DATABASE_URL is not set')

const log = { info() {}, warn: printLine, error: printLine }
await migrate(url, { log })
const db = await openDatabase(url, { maxConnections: 12, log })
await ensureAdmin(db)
const caller = { viewer: operator, db, loaders: new Loaders() }
const { secret } = await createToken(caller, { login: 'admin', kind: 'user', name: 'bench' })
const bus = await PostgresBus.open(url, log, { wake() {} })
const runs = await makeRuns(50)
const server = spawn(
  process.execPath,
  [fileURLToPath(new URL('../dist/main.js', import.meta.url))],
  {
    env: {
      ...{ PATH: process.env.PATH, DATABASE_URL: url, PORT: '0', LOG_LEVEL: 'warn', METRICS: 'on' },
      ...{ MAX_OPERATIONS_PER_VIEWER: '2000', MAX_SOCKETS_PER_VIEWER: '200' },
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  },
)
const origin = await started()

try {
  const subscribers = Number(values.subscribers)
  const rate = Number(values.rate)
  // Until its code is compiled, a server is slow.
  await measure(subscribers, rate / 2, 5, () => {})
  await measure(subscribers, rate, seconds)
  await measure(1_000, 10, 5)
} finally {
  server.kill()
  await bus.close()
  await db.close()
}

/** So many who follow all runs as a dashboard does, and so many changes a second. */
async function measure(subscribers, rate, time, print = printLine) {
  const committed = new Map()
  const arrivals = []
  const sockets = await subscribe(subscribers, key => arrivals.push([key, performance.now()]))
  const before = await metric(executions)
  const cpuBefore = await metric(cpu)
  const writing = []
  const begin = performance.now()
  for (let number = 0; number < rate * time; number++) {
    await sleep(Math.max(0, begin + (number * 1_000) / rate - performance.now()))
    writing.push(write(runs[number % runs.length], committed))
  }
  await Promise.all(writing)
  const took = (performance.now() - begin) / 1_000
  const changes = writing.length
  for (let waited = 0; arrivals.length < changes * subscribers && waited < 30_000; waited += 50) {
    await sleep(50)
  }
  const executed = (await metric(executions)) - before
  const worked = (await metric(cpu)) - cpuBefore
  for (const socket of sockets) socket.terminate()
  const times = arrivals.map(([key, at]) => Math.max(0, at - committed.get(key)))
  times.sort((a, b) => a - b)
  const at = share => `${(times[Math.ceil(times.length * share) - 1] ?? 0).toFixed(1)} ms`
  print(`${subscribers} subscribers, ${(changes / took).toFixed(0)} changes a second:`)
  print(`  arrived: ${arrivals.length} of ${changes * subscribers}`)
  print(
    `  from commit to client: median ${at(0.5)}, p95 ${at(0.95)}, p99 ${at(0.99)}, max ${at(1)}`,
  )
  print(`  executions: ${(executed / changes).toFixed(2)} for each change`)
  const each = (worked * 1_000_000) / arrivals.length
  print(`  the server's processor: ${each.toFixed(0)} µs for each arrival`)
}

async function write(run, committed) {
  const client = await db.pool.connect()
  try {
    await client.query('begin')
    const { rows } = await client.query({
      name: 'write',
      text: `with run as (
          update process_runs set last_seq = last_seq + 1 where id = $1 returning id, process_id, last_seq)
        insert into core.changes (topic, subject, seq, payload)
        select 'run', id::text, last_seq, jsonb_build_object('type', 'result', 'partialResult', last_seq,
          'late', false, 'processId', process_id, 'requestedById', null, 'chatId', null, 'status', 'queued')
        from run returning seq`,
      values: [run.id],
    })
    await client.query('commit')
    committed.set(`${run.globalId} ${rows[0].seq}`, performance.now())
    bus.publish()
  } finally {
    client.release()
  }
}

async function makeRuns(count) {
  const { rows } = await db.pool.query(
    `with process as (insert into processes (code, name) values ($1, $1) returning id)
      insert into process_runs (process_id) select id from process, generate_series(1, $2) returning id`,
    [`bench ${randomUUID()}`, count],
  )
  const globalId = id => Buffer.from(`ProcessRun:${id}`).toString('base64')
  return rows.map(({ id }) => ({ id, globalId: globalId(id) }))
}

/** Each on a socket of its own, up to a hundred of them. */
async function subscribe(count, arrived) {
  const onEach = Math.ceil(count / 100)
  const query = `subscription { runChanges { cursor event {
    __typename seq at run { id status } ... on RunResultUpdated { partialResult } } } }`
  const sockets = []
  for (let left = count; left > 0; left -= onEach) {
    const socket = new WebSocket(`${origin.replace('http', 'ws')}/graphql`, 'graphql-transport-ws')
    await once(socket, 'open')
    socket.on('message', data => {
      const text = String(data)
      const seq = /"seq":(\d+)/.exec(text)?.[1]
      if (seq) arrived(`${/"run":\{"id":"([^"]+)"/.exec(text)?.[1]} ${seq}`)
      else if (text.includes('"errors"')) throw new Error(text)
    })
    const send = message => socket.send(JSON.stringify(message))
    send({ type: 'connection_init', payload: { authorization: `Bearer ${secret}` } })
    await once(socket, 'message')
    for (let id = 0; id < Math.min(onEach, left); id++) {
      send({ type: 'subscribe', id: `${id}`, payload: { query } })
    }
    sockets.push(socket)
  }
  while ((await metric('engraph_streams_open')) < count) await sleep(50)
  return sockets
}

async function metric(name) {
  const text = await (await fetch(`${origin}/metrics`)).text()
  return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1])
}

async function started() {
  for await (const chunk of server.stdout) {
    const found = /running at (http:\/\/[^/]+)/.exec(String(chunk))?.[1]
    if (found) return found
  }
  throw new Error('the server did not start')
}
