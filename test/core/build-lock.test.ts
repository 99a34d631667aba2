import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { withLock } from '../../scripts/lock.mjs'
import { exists } from '../../src/core/postgres/whole-folder.ts'
import { newDirectory } from '../support/embedded.ts'

const lockModule = new URL('../../scripts/lock.mjs', import.meta.url).href

async function newLock(): Promise<string> {
  const directory = newDirectory()
  await mkdir(directory)
  return join(directory, 'lock')
}

test('two builds at once take turns', async () => {
  const lock = await newLock()
  const script = `
    import { appendFileSync } from 'node:fs'
    import { withLock } from '${lockModule}'
    await withLock('${lock}', () => {
      appendFileSync('${lock}.log', 'in ')
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200)
      appendFileSync('${lock}.log', 'out ')
    })`
  const builds = [1, 2].map(() => spawn(process.execPath, ['--input-type=module', '-e', script]))
  await Promise.all(builds.map(build => once(build, 'exit')))
  expect(await readFile(`${lock}.log`, 'utf8')).toBe('in out in out ')
})

test('a build that was killed does not keep the next one out', async () => {
  const lock = await newLock()
  const gone = spawn(process.execPath, ['--version'])
  await once(gone, 'exit')
  await writeFile(lock, String(gone.pid))
  expect(await withLock(lock, () => 'done')).toBe('done')
  expect(await exists(lock)).toBe(false)
})
