import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import pino from 'pino'
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { type Bus, pulse } from '../../src/events/bus.ts'
import { PostgresBus } from '../../src/events/postgres-bus.ts'
import { RedisBus } from '../../src/events/redis-bus.ts'
import { CuttableProxy } from '../support/cuttable-proxy.ts'
import { eventually } from '../support/raw-eventually.ts'
import { createTestDatabase, type TestDatabase } from '../support/test-database.ts'
import { type Instance, openInstance } from './open-feed.ts'

const log = pino({ level: 'silent' })

interface Kind {
  name: string
  /** Where the bus is, for a database. */
  url(database: string): string
  /** For the database with this epoch. */
  open(url: string, epoch: string, wake: () => void): Promise<Bus>
  instance(database: string, busUrl: string): Promise<Instance>
}

const overPostgres: Kind = {
  name: 'PostgreSQL',
  url: database => database,
  open: (url, _epoch, wake) => PostgresBus.open(url, log, { wake }),
  instance: (database, busUrl) => openInstance(database, { busUrl }),
}

const overRedis = (url: string): Kind => ({
  name: 'Redis',
  url: () => url,
  open: async (redis, epoch, wake) => new RedisBus(redis, epoch, log, { wake }),
  instance: (database, redisUrl) => openInstance(database, { redisUrl }),
})

/** Redis where there is one to test with: TEST_REDIS_URL=redis://… */
const { TEST_REDIS_URL } = process.env
const kinds = [overPostgres, ...(TEST_REDIS_URL ? [overRedis(TEST_REDIS_URL)] : [])]

let database: TestDatabase
beforeEach(async () => {
  database = await createTestDatabase()
  onTestFinished(() => database.close())
})

/** What arrives then has come by the bus. */
function stopPolls(): void {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  onTestFinished(() => void vi.useRealTimers())
}

describe.each(kinds)('a bus over $name', ({ url, open, instance }) => {
  const isReady = async ({ feed }: Instance) => {
    try {
      await feed.check()
      return true
    } catch {
      return false
    }
  }

  /** Two instances, the second of which hears of the first by a way that can be cut. */
  async function twoInstances() {
    const proxy = await CuttableProxy.open(url(database.url))
    const here = await instance(database.url, url(database.url))
    const there = await instance(database.url, proxy.url)
    for (const each of [here, there]) await eventually(() => isReady(each)).toBe(true)
    return { proxy, here, there }
  }

  /** A bus, and how often it was woken. */
  async function listening(busUrl: string, epoch: string) {
    let wakes = 0
    const bus = await open(busUrl, epoch, () => wakes++)
    onTestFinished(() => bus.close())
    await eventually(() => bus.check().then(() => 'ready', String)).toBe('ready')
    await eventually(() => wakes).toBe(1)
    return { bus, wakes: () => wakes - 1 }
  }

  it('brings a change of one instance to those who follow at another', async () => {
    stopPolls()
    const { here, there } = await twoInstances()
    const news = there.follow()
    for (const text of ['one', 'two', 'three']) {
      await here.write(text)
      expect(await news.take(1)).toEqual([text])
    }
  })

  it('is opened anew when it is lost, and then brings what it has missed', async () => {
    stopPolls()
    const { proxy, here, there } = await twoInstances()
    const news = there.follow()
    await proxy.cut()
    await here.write('unheard')
    const mended = performance.now()
    await proxy.mend()
    expect(await news.take(1)).toEqual(['unheard'])
    await here.write('heard')
    expect(await news.take(1)).toEqual(['heard'])
    expect(performance.now() - mended).toBeLessThan(5_000)
  })

  it('loses nothing while it is down, since everybody looks by themselves', async () => {
    const { proxy, here, there } = await twoInstances()
    const news = there.follow()
    await proxy.cut()
    await here.write('one', 'two')
    expect(await news.take(2)).toEqual(['one', 'two'])
    await here.write('three')
    expect(await news.take(1)).toEqual(['three'])
  })

  it('is opened anew when nothing comes through any more, though nobody says so', async () => {
    const usual = { ...pulse }
    Object.assign(pulse, { everyMs: 300, answerMs: 300 })
    onTestFinished(() => void Object.assign(pulse, usual))
    const epoch = randomUUID()
    const proxy = await CuttableProxy.open(url(database.url))
    const speaker = await listening(url(database.url), epoch)
    const listener = await listening(proxy.url, epoch)
    proxy.freeze()
    // It may have missed something.
    await eventually(listener.wakes).toBe(1)
    speaker.bus.publish()
    await eventually(listener.wakes).toBe(2)
  })

  it('keeps the instance from being ready while it is down', async () => {
    const { proxy, here, there } = await twoInstances()
    await proxy.cut()
    await eventually(() => isReady(there)).toBe(false)
    expect(await isReady(here)).toBe(true)
    await proxy.mend()
    await eventually(() => isReady(there)).toBe(true)
  })

  it('wakes the others a few times for many commits, and itself not at all', async () => {
    const epoch = randomUUID()
    const speaker = await listening(url(database.url), epoch)
    const listener = await listening(url(database.url), epoch)
    const start = performance.now()
    for (let round = 0; round < 20; round++) {
      for (let commit = 0; commit < 100; commit++) speaker.bus.publish()
      await sleep(1)
    }
    const gaps = (performance.now() - start) / 5
    await eventually(listener.wakes).toBeGreaterThan(0)
    await sleep(100)
    expect(listener.wakes()).toBeLessThanOrEqual(gaps + 2)
    // What was said last is heard too.
    const before = listener.wakes()
    speaker.bus.publish()
    await eventually(listener.wakes).toBe(before + 1)
    expect(speaker.wakes()).toBe(0)
  })

  it('does not wake who follows another database', async () => {
    const another = await createTestDatabase()
    onTestFinished(() => another.close())
    const [one, other] = [randomUUID(), randomUUID()]
    const speaker = await listening(url(database.url), one)
    const listener = await listening(url(database.url), one)
    const stranger = await listening(url(another.url), other)
    speaker.bus.publish()
    await eventually(listener.wakes).toBe(1)
    await sleep(50)
    expect(stranger.wakes()).toBe(0)
  })
})
