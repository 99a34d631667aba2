// Runs one of the server's entry points, built anew when its source has changed:
//   node scripts/run.mjs main
//   node scripts/run.mjs import/main memory.jsonl
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const [major, minor] = process.versions.node.split('.').map(Number)
if (major < 20 || (major === 20 && minor < 19)) {
  refuse(`Engraph needs Node 20.19 or newer; this is ${process.versions.node}.`)
}
const root = new URL('../', import.meta.url)
if (!existsSync(new URL('node_modules/', root))) {
  refuse('The dependencies are not installed: run npm ci first.')
}

// An image for production has only what was built.
if (existsSync(new URL('src/', root))) {
  const { build } = await import('./build.mjs')
  await build().catch(error => refuse(error.message))
}

const [, , name, ...words] = process.argv
const entry = new URL(`dist/${name}.js`, root)
process.argv = [process.execPath, fileURLToPath(entry), ...words]
process.setSourceMapsEnabled(true)
await import(entry.href)

function refuse(reason) {
  process.stderr.write(`${reason}\n`)
  process.exit(1)
}
