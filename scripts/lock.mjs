import { readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'

// Longer than any build; a lock this old is a dead process's whose id another has got.
const maxAge = 5 * 60_000

/** One process at a time does the work; one that died in it does not keep the others out. */
export async function withLock(path, work) {
  while (!take(path)) await delay(100)
  try {
    return work()
  } finally {
    rmSync(path, { force: true })
  }
}

function take(path) {
  try {
    writeFileSync(path, String(process.pid), { flag: 'wx' })
    return true
  } catch (error) {
    if (error.code !== 'EEXIST') throw error
    removeIfStale(path)
    return false
  }
}

function removeIfStale(path) {
  const aside = `${path}.${process.pid}`
  try {
    const owner = readFileSync(path, 'utf8')
    if (!isStale(path, Number(owner))) return
    renameSync(path, aside)
    // Taken by another meanwhile: give it back.
    if (readFileSync(aside, 'utf8') !== owner) renameSync(aside, path)
  } catch {
    // Released, or removed by another, meanwhile.
  }
  rmSync(aside, { force: true })
}

function isStale(path, pid) {
  if (Date.now() - statSync(path).mtimeMs > maxAge) return true
  // Between its making and its writing the file is empty.
  return pid !== 0 && (pid === process.pid || !isAlive(pid))
}

function isAlive(pid) {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error.code === 'EPERM'
  }
}
