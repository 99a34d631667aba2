// Times what the pass-through adds to a call of a model server, against the same call made directly.
//   npm run build
//   DATABASE_URL=postgres://… node bench/pass-through.mjs [--calls=2000]
// The server migrates the database, which keeps the calls that are recorded. Server, model server and client are
// processes of their own; calls go by turns directly and through.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import http from 'node:http'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { openDatabase } from '../dist/core/database.js'
import { Loaders } from '../dist/core/loaders.js'
import { operator } from '../dist/identity/operator.js'
import { createToken } from '../dist/identity/tokens.js'

const { values } = parseArgs({ options: { calls: { type: 'string', default: '2000' } } })
const calls = Number(values.calls)
const url = process.env.DATABASE_URL
if (!url) throw new Error('DATABASE_URL is not set')

const modelServer = `
  const http = require('node:http')
  const server = http.createServer((req, res) => {
    req.resume()
    req.on('end', () => {
      res.setHeader('content-type', 'application/json')
      res.end('{"model":"none","message":{"role":"assistant","content":"Hello"},"done":true}')
    })
  })
  server.keepAliveTimeout = 60000
  server.listen(0, '127.0.0.1', () => console.log(server.address().port))`
const models = spawn(process.execPath, ['-e', modelServer])
const [modelPort] = await once(models.stdout, 'data')
const direct = `http://127.0.0.1:${Number(modelPort)}`

const main = fileURLToPath(new URL('../dist/main.js', import.meta.url))
const env = { ...process.env, PORT: '0', OLLAMA_URL: direct, EXECUTOR: 'off', LOG_LEVEL: 'error' }
const server = spawn(process.execPath, [main], { env, stdio: ['ignore', 'pipe', 'inherit'] })
const [line] = await once(server.stdout, 'data')
const { origin } = new URL(/http:\S+/.exec(String(line))?.[0] ?? '')

// The server has migrated the database, and made the administrator where there was none.
const log = { info() {}, warn() {}, error() {} }
const db = await openDatabase(url, { maxConnections: 1, log })
const caller = { viewer: operator, db, loaders: new Loaders() }
const { secret } = await createToken(caller, { login: 'admin', kind: 'user', name: 'bench' })
await db.close()

const agent = new http.Agent({ keepAlive: true })
const body = JSON.stringify({ model: 'none', messages: [{ role: 'user', content: 'Hello' }] })
const headers = { authorization: `Bearer ${secret}`, 'content-type': 'application/json' }

async function call(base) {
  const begun = performance.now()
  const req = http.request(`${base}/api/chat`, { method: 'POST', headers, agent })
  req.end(body)
  const [res] = await once(req, 'response')
  res.resume()
  await once(res, 'end')
  if (res.statusCode !== 200) throw new Error(`HTTP ${res.statusCode}`)
  return performance.now() - begun
}

const times = { direct: [], through: [] }
for (let n = 0; n < calls + 100; n++) {
  const [plain, passed] = [await call(direct), await call(`${origin}/llm/ollama`)]
  // The first ones warm up.
  if (n < 100) continue
  times.direct.push(plain)
  times.through.push(passed)
}
const at = (list, part) => list.toSorted((a, b) => a - b)[Math.floor(list.length * part)]
const show = list => `median ${at(list, 0.5).toFixed(2)} ms, p99 ${at(list, 0.99).toFixed(2)} ms`
process.stdout.write(`direct:  ${show(times.direct)}\nthrough: ${show(times.through)}\n`)
const added = times.through.map((time, n) => time - times.direct[n])
process.stdout.write(`added:   ${show(added)}\n`)

agent.destroy()
for (const child of [server, models]) {
  child.kill('SIGTERM')
  await once(child, 'exit')
}
process.exit()
