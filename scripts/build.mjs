// Brings src/generated and dist up to the sources:
//   node scripts/build.mjs
// Each of the two has a stamp, a hash of all that it was made from. It is written last, so what is
// out of date, or was cut off, is made again. Two builds at once take turns.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import * as fs from 'node:fs'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { withLock } from './lock.mjs'

const root = fileURLToPath(new URL('../', import.meta.url))
const dist = join(root, 'dist')

const steps = [
  { name: 'Prisma client', stamp: 'src/generated/.stamp', from: ['prisma'], make: generate },
  {
    name: 'server',
    stamp: 'dist/.stamp',
    from: ['src', 'tsconfig.json', 'scripts/build.mjs'],
    make: compile,
  },
]

export async function build() {
  if (steps.every(isFresh)) return
  fs.mkdirSync(dist, { recursive: true })
  await withLock(join(dist, '.lock'), () => {
    for (const step of steps) {
      if (isFresh(step)) continue
      process.stderr.write(`building the ${step.name}\n`)
      fs.rmSync(join(root, step.stamp), { force: true })
      const hash = hashOf(step)
      step.make()
      fs.writeFileSync(join(root, step.stamp), hash)
    }
  })
}

function isFresh(step) {
  const stamp = join(root, step.stamp)
  return fs.existsSync(stamp) && fs.readFileSync(stamp, 'utf8') === hashOf(step)
}

function hashOf(step) {
  const hash = createHash('sha256')
  // The lock file stands for the versions of the tools.
  const names = [...step.from, 'package-lock.json', 'prisma.config.ts', 'tsconfig.build.json']
  for (const path of names.flatMap(filesOf)) {
    hash.update(`\0${path}\0`).update(fs.readFileSync(join(root, path)))
  }
  return hash.digest('hex')
}

function filesOf(path) {
  const found = fs.statSync(join(root, path), { throwIfNoEntry: false })
  if (!found?.isDirectory()) return found ? [path] : []
  const names = fs.readdirSync(join(root, path)).filter(name => !name.startsWith('.'))
  return names.sort().flatMap(name => filesOf(join(path, name)))
}

function generate() {
  run('prisma/build/index.js', ['generate'], {
    // A program that exists stops Prisma from downloading an engine, which generating does not use.
    PRISMA_SCHEMA_ENGINE_BINARY: process.execPath,
    CHECKPOINT_DISABLE: '1',
    PATH: join(root, 'node_modules', '.bin') + delimiter + process.env.PATH,
  })
}

/**
 * Compiled aside and then moved, so that a server that starts from dist never meets half a file.
 * Aside is beside dist: from there, source maps lead to the same sources.
 */
function compile() {
  for (const name of fs.readdirSync(root).filter(isAside)) remove(name)
  // A compiler that outlived its killed build must not write into this one's folder.
  const [fresh, old] = [`dist.new-${process.pid}`, `dist.old-${process.pid}`]
  // Every file is compiled by itself, so the types of what it imports need not be read.
  const options = ['-p', 'tsconfig.build.json', '--noResolve', '--outDir', join(root, fresh)]
  run('typescript/bin/tsc', options)
  fs.mkdirSync(join(root, old))
  for (const name of fs.readdirSync(dist).filter(name => !name.startsWith('.'))) {
    fs.renameSync(join(dist, name), join(root, old, name))
  }
  for (const name of fs.readdirSync(join(root, fresh))) {
    fs.renameSync(join(root, fresh, name), join(dist, name))
  }
  for (const name of [fresh, old]) remove(name)
}

const isAside = name => /^dist\.(new|old)-/.test(name)
const remove = name => fs.rmSync(join(root, name), { recursive: true, force: true })

function run(script, words, environment = {}) {
  const { status, stdout, stderr, error } = spawnSync(
    process.execPath,
    [join(root, 'node_modules', script), ...words],
    { cwd: root, env: { ...process.env, ...environment }, encoding: 'utf8' },
  )
  if (status === 0) return
  throw new Error(`${script} failed:\n${stdout ?? ''}${stderr ?? ''}${error ?? ''}`)
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await build().catch(error => {
    process.stderr.write(`${error.message}\n`)
    process.exitCode = 1
  })
}
