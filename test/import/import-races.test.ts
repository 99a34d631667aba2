import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { hold, untilWaiting } from '../support/held-transaction.ts'
import { type ImportDatabase, openImportDatabase } from './import-database.ts'
import { entity, relation } from './read-items.ts'

let database: ImportDatabase

beforeAll(async () => {
  database = await openImportDatabase()
})
afterAll(() => database.close())
beforeEach(() => database.clear())

const linesOf = async (name: string) => {
  const concept = await database.caller.db.prisma.concept.findUnique({ where: { name } })
  return concept?.description?.split('\n').toSorted()
}

describe('an import', () => {
  it('keeps what somebody else writes about a concept before the import gets to it', async () => {
    const { pool } = database.caller.db
    const other = await hold(
      pool,
      `insert into concepts (name, description) values ('Ann', 'By hand.')`,
    )
    const importing = database.importText(entity('Ann', { observations: ['likes tea'] }))
    await untilWaiting(pool, 1)
    await other.commit()
    expect(await importing).toMatchObject({
      entities: { imported: 1, skipped: 0 },
      concepts: { created: 1, extended: 1 },
      links: { created: 1 },
    })
    expect((await database.graph()).concepts).toContain('Ann: By hand.\nlikes tea')
  })

  it('does not count as new what somebody else makes just before it', async () => {
    const { pool } = database.caller.db
    const other = await hold(pool, `insert into concepts (name) values ('Ann'), ('Bob')`)
    const importing = database.importText(relation('Ann', 'Bob'))
    await untilWaiting(pool, 1)
    await other.commit()
    expect(await importing).toMatchObject({
      relations: { imported: 1 },
      concepts: { created: 0, extended: 0 },
      links: { created: 1 },
      stubs: 0,
    })
  })
})

describe('two imports at once', () => {
  const people = Array.from({ length: 300 }, (_, index) => `person ${index}`)
  const file = (about: string) =>
    ['!first', ...people]
      .map(name => entity(name, { observations: [`${about} of ${name}`] }))
      .join('\n')

  it('of the same new concepts lose no line of either, and count each concept once', async () => {
    const { pool } = database.caller.db
    // Both have looked at the graph before either of them can write.
    const other = await hold(pool, `insert into concepts (name) values ('!first')`)
    const importing = Promise.all([
      database.importText(file('work')),
      database.importText(file('home')),
    ])
    await untilWaiting(pool, 2)
    await other.rollback()
    const counts = await importing
    const total = (count: (one: (typeof counts)[number]) => number) =>
      counts.reduce((sum, one) => sum + count(one), 0)
    expect(total(one => one.concepts.created)).toBe(302)
    expect(total(one => one.concepts.extended)).toBe(301)
    expect(total(one => one.links.created)).toBe(301)
    expect(total(one => one.entities.imported)).toBe(602)
    for (const name of people) {
      expect(await linesOf(name)).toEqual([`home of ${name}`, `work of ${name}`])
    }
  })

  it('of one file bring each line once, and a third finds nothing new', async () => {
    const { pool } = database.caller.db
    const other = await hold(pool, `insert into concepts (name) values ('!first')`)
    const importing = Promise.all([
      database.importText(file('work')),
      database.importText(file('work')),
    ])
    await untilWaiting(pool, 2)
    await other.rollback()
    const counts = await importing
    expect(counts.map(({ entities }) => entities.imported).toSorted()).toEqual([0, 301])
    expect(await linesOf('person 7')).toEqual(['work of person 7'])
    expect(await database.importText(file('work'))).toMatchObject({
      entities: { imported: 0, skipped: 301 },
      concepts: { created: 0, extended: 0 },
      links: { created: 0 },
    })
  })
})
