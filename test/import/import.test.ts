import { readFile } from 'node:fs/promises'
import { setTimeout } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { DomainError } from '../../src/core/errors.ts'
import { importFile } from '../../src/import/command.ts'
import type { MemoryFailure, MemorySkipped } from '../../src/import/mcp-memory.ts'
import { graphNow, lastChangeId, replay, toldSince } from '../support/graph-replay.ts'
import { type ImportDatabase, openImportDatabase } from './import-database.ts'
import { entity, relation } from './read-items.ts'

let database: ImportDatabase

beforeAll(async () => {
  database = await openImportDatabase()
})
afterAll(() => database.close())
beforeEach(() => database.clear())

const dataFile = (name: string) => readFile(new URL(`../data/${name}`, import.meta.url))

async function importListing(file: string | Uint8Array) {
  const leftOut: (MemoryFailure | MemorySkipped)[] = []
  const onLeftOut = (item: MemoryFailure | MemorySkipped) => void leftOut.push(item)
  const counts = await database.importText(file, { onLeftOut })
  return { counts, leftOut: leftOut.map(({ line, reason }) => `${line}: ${reason}`) }
}

describe('an import', () => {
  it('makes concepts of entities and types, and links of relations', async () => {
    const counts = await database.importText(await dataFile('memory.jsonl'))
    expect(counts).toEqual({
      entities: { imported: 5, skipped: 0 },
      relations: { imported: 4, skipped: 0 },
      ignored: 0,
      failed: 0,
      concepts: { created: 10, extended: 0 },
      links: { created: 9 },
      stubs: 1,
      replaced: 0,
      stopped: false,
    })
    expect(await database.graph()).toEqual({
      concepts: [
        'Casa Ruiz: Founded in 1987\nClosed on Mondays',
        'Marta Ruiz: Bakes the wedding cakes\nSpeaks Spanish and some Russian\nWorks from four in the morning',
        'Mercado Norte: ',
        'bakery: ',
        'cake: Everything that is not bread',
        'category: ',
        'person: ',
        'process: ',
        'tres leches: ',
        'Хлебный заказ: Заказы принимаются до шести вечера',
      ],
      links: [
        'Casa Ruiz is_a bakery',
        'Casa Ruiz sells_at Mercado Norte',
        'Marta Ruiz bakes tres leches',
        'Marta Ruiz is_a person',
        'Marta Ruiz works_at Casa Ruiz',
        'cake is_a category',
        'tres leches is_a cake',
        'Хлебный заказ is_a process',
        'Хлебный заказ part_of Casa Ruiz',
      ],
    })
  })

  it('of a file with a byte order mark, CRLF, empty lines and no last newline has all rows', async () => {
    const rows = [entity('Ann'), '', relation('Ann', 'Bob'), '  ', entity('Bob')]
    const counts = await database.importText(`\ufeff${rows.join('\r\n')}`)
    expect(counts).toMatchObject({
      entities: { imported: 2 },
      relations: { imported: 1 },
      failed: 0,
      stubs: 0,
    })
    expect((await database.graph()).links).toContain('Ann knows Bob')
  })

  it('of a damaged file names each line that failed, and imports the others', async () => {
    const { counts, leftOut } = await importListing(await dataFile('memory-damaged.jsonl'))
    expect(leftOut).toEqual([
      '1: text that is not a JSON object: "This memory was moved from another machine."',
      '4: not valid JSON: a line break or control character inside a string',
      '7: a relation of "baker" without a relationType',
      expect.stringMatching(/^8: name "zero\ufffdwidth": A name cannot contain/),
      '9: neither an entity nor a relation (its type is "log")',
    ])
    expect(counts).toMatchObject({
      entities: { imported: 3 },
      relations: { imported: 2 },
      failed: 5,
      replaced: 1,
    })
    expect(await database.graph()).toEqual({
      concepts: [
        'baker: Gets up early',
        'driver: Leaves at five',
        'odd text: nul \ufffd and half a pair \ufffd',
        'role: ',
      ],
      links: ['baker is_a role', 'baker knows baker', 'driver is_a role', 'driver waits_for baker'],
    })
  })

  it('loses nothing of the dialects', async () => {
    const { counts, leftOut } = await importListing(await dataFile('memory-dialects.jsonl'))
    expect(leftOut).toEqual(['1: a file marker (_aim)'])
    expect(counts).toMatchObject({ failed: 0, ignored: 1, stubs: 1 })
    expect(await database.graph()).toMatchInlineSnapshot(`
      {
        "concepts": [
          "allergen: ",
          "flour: Type 550
      Comes on Tuesdays
      mixed with → yeast (strength: 0.9, createdAt: 2025-01-14)",
          "ingredient: ",
          "invoice 7: 9007199254740993
      1.10
      true
      paid: false, total: 1e400",
          "oven one: Holds 40 loaves (timestamp: 2025-05-06T14:09:36.202Z)
      Gas (durability: long-term)
      _savedAt: 2025-05-06T22:59:07.083Z",
          "oven two: Electric
      createdAt: 1768061136",
          "oven: ",
          "proofing room: ",
          "salt: item: ["Fine","From the sea"]",
          "yeast: aliases: ["levadura"]",
        ],
        "links": [
          "flour is_a allergen",
          "flour is_a ingredient",
          "flour mixed with yeast",
          "oven one is_a oven",
          "oven two heats proofing room",
          "oven two is_a oven",
          "oven two stands_beside oven one",
          "yeast is_a ingredient",
          "yeast rises_in proofing room",
        ],
      }
    `)
  })

  it('of one graph object is the same as of its lines', async () => {
    await database.importText(await dataFile('memory.jsonl'))
    const before = await database.graph()
    const counts = await database.importText(await dataFile('memory-read-graph.json'))
    expect(counts).toMatchObject({
      entities: { imported: 0, skipped: 2 },
      relations: { imported: 0, skipped: 1 },
    })
    expect(await database.graph()).toEqual(before)
  })

  it('takes relations before the entities that they name', async () => {
    const rows = [relation('Ann', 'Bob'), entity('Bob', { observations: ['x'] }), entity('Ann')]
    const counts = await database.importText(rows.join('\n'))
    expect(counts).toMatchObject({ stubs: 0, failed: 0 })
    expect(await database.graph()).toMatchObject({ concepts: ['Ann: ', 'Bob: x', 'person: '] })
  })

  it('adds to what people wrote, and takes nothing away', async () => {
    await database.caller.db.prisma.concept.create({
      data: { name: 'Ann', description: 'Written by hand.\nlikes tea' },
    })
    const counts = await database.importText(
      entity('Ann', { observations: ['likes tea', 'is tall'] }),
    )
    expect(counts).toMatchObject({ concepts: { created: 1, extended: 1 } })
    expect((await database.graph()).concepts).toContain('Ann: Written by hand.\nlikes tea\nis tall')
  })

  it('adds to what somebody writes in the same moment', async () => {
    const { pool, prisma } = database.caller.db
    await prisma.concept.create({ data: { name: 'Ann', description: 'old' } })
    const client = await pool.connect()
    await client.query('begin')
    await client.query("update concepts set description = 'new' where name = 'Ann'")
    const imported = database.importText(entity('Ann', { observations: ['likes tea'] }))
    await setTimeout(200)
    await client.query('commit')
    client.release()
    await imported
    expect((await database.graph()).concepts).toContain('Ann: new\nlikes tea')
  })

  it('brings the spellings of one name together', async () => {
    const rows = ['Agent', 'Agent ', 'Agent\u00a0', 'Agent\u200b'].map((name, n) =>
      entity(name, { observations: [`${n}`] }),
    )
    const { leftOut } = await importListing(rows.join('\n'))
    expect(leftOut).toEqual([expect.stringMatching(/^4: name "Agent\ufffd"/)])
    expect((await database.graph()).concepts).toEqual(['Agent: 0\n1\n2', 'person: '])
  })

  it('tells those who follow the graph of all that it makes, and nothing of what was there', async () => {
    const { pool } = database.caller.db
    const since = await lastChangeId(pool)
    await database.importText(await dataFile('memory.jsonl'))
    const told = await toldSince(pool, since)
    expect(replay(told)).toEqual(await graphNow(pool))
    expect(told).toHaveLength(19)
    await database.importText(await dataFile('memory.jsonl'))
    expect(await toldSince(pool, since)).toEqual(told)
  })

  it('is refused to a worker', async () => {
    const { caller } = database
    const worker = { ...caller, viewer: { ...caller.viewer, kind: 'WORKER' as const } }
    const chunks = (async function* () {
      yield Buffer.from(entity('Ann'))
    })()
    const file = { path: 'm.jsonl', size: 0, chunks, close: async () => {} }
    await expect(importFile(worker, file)).rejects.toThrow(DomainError)
  })
})

describe('a second import of the same file', () => {
  it.each([
    'memory.jsonl',
    'memory-dialects.jsonl',
    'memory-damaged.jsonl',
    'memory-read-graph.json',
  ])('adds nothing: %s', async name => {
    const file = await dataFile(name)
    const first = await database.importText(file)
    const before = await database.graph()
    const second = await database.importText(file)
    expect(await database.graph()).toEqual(before)
    const all = (of: { imported: number; skipped: number }) => of.imported + of.skipped
    expect(second).toMatchObject({
      entities: { imported: 0, skipped: all(first.entities) },
      relations: { imported: 0, skipped: all(first.relations) },
      failed: first.failed,
      concepts: { created: 0, extended: 0 },
      links: { created: 0 },
      stubs: 0,
    })
  })
})

describe('a long import', () => {
  const rows = Array.from({ length: 2_500 }, (_, n) => [
    relation(`e${n}`, `e${n + 1}`),
    entity(`e${n}`, { observations: [`number ${n}`] }),
  ]).flat()
  const file = [...rows, entity('e2500')].join('\n')

  it('reports how far it is', async () => {
    const records: number[] = []
    await database.importText(file, { onProgress: progress => records.push(progress.records) })
    expect(records).toEqual([1_000, 2_000, 3_000, 4_000, 5_000])
  })

  it('that was stopped and started again has the same result as one that was not', async () => {
    await database.importText(file)
    const whole = await database.graph()
    await database.clear()

    const controller = new AbortController()
    const stopped = await database.importText(file, {
      signal: controller.signal,
      onProgress: ({ records }) => records === 2_000 && controller.abort(),
    })
    expect(stopped).toMatchObject({ stopped: true, entities: { imported: 1_000 } })
    const finished = await database.importText(file)
    expect(finished).toMatchObject({ stopped: false, entities: { imported: 1_501 } })
    expect(await database.graph()).toEqual(whole)
  })

  it('that broke off in the middle and is started again has the same result', async () => {
    await database.importText(file)
    const whole = await database.graph()
    await database.clear()

    const breakOff = () => {
      throw new Error('the plug was pulled')
    }
    await expect(database.importText(file, { onProgress: breakOff })).rejects.toThrow('plug')
    await database.importText(file)
    expect(await database.graph()).toEqual(whole)
  })
})
