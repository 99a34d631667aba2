import { describe, expect, it } from 'vitest'
import { toStatement } from '../../src/import/mapping.ts'
import type { MemoryEntity, MemoryRelation } from '../../src/import/mcp-memory.ts'

const entity = (given: Partial<MemoryEntity>): MemoryEntity => ({
  kind: 'entity',
  line: 7,
  name: 'Ann',
  types: [],
  observations: [],
  ...given,
})
const relation = (given: Partial<MemoryRelation>): MemoryRelation => ({
  kind: 'relation',
  line: 7,
  from: 'Ann',
  to: 'Bob',
  relationType: 'knows',
  details: [],
  ...given,
})

describe('an entity', () => {
  it('becomes a concept that is_a its type, with a line of description for each observation', () => {
    expect(
      toStatement(entity({ types: ['person'], observations: ['likes tea', 'is tall'] })),
    ).toEqual({
      kind: 'entity',
      line: 7,
      about: 'Ann',
      links: [{ from: 'Ann', to: 'person', relationType: 'is_a' }],
      lines: ['likes tea', 'is tall'],
      replaced: false,
    })
  })

  it('has its names in the spelling of the graph', () => {
    expect(
      toStatement(entity({ name: ' Ann\u00a0 Lee\n', types: ['e\u0301tude '] })),
    ).toMatchObject({
      about: 'Ann Lee',
      links: [{ from: 'Ann Lee', to: 'étude' }],
    })
  })

  it('is not its own type', () => {
    expect(toStatement(entity({ name: 'person', types: ['person ', 'concept'] }))).toMatchObject({
      links: [{ from: 'person', to: 'concept', relationType: 'is_a' }],
    })
  })

  it('keeps the lines within an observation, and nothing of an empty one', () => {
    expect(
      toStatement(entity({ observations: ['', ' \n', 'first\r\n\r\nsecond\rthird '] })),
    ).toMatchObject({ lines: ['first\n\nsecond\nthird'] })
  })

  it('has U+FFFD in place of characters that PostgreSQL cannot keep', () => {
    expect(toStatement(entity({ observations: ['a\u0000b', 'half \ud83d', '😀'] }))).toMatchObject({
      lines: ['a\ufffdb', 'half \ufffd', '😀'],
      replaced: true,
    })
  })

  it.each([
    [{ name: 'Agent\u200b' }, 'name "Agent\ufffd": A name cannot contain control'],
    [{ name: ' ' }, 'name " ": A name cannot be empty'],
    [{ name: 'x'.repeat(501) }, `name "${'x'.repeat(60)}…": A name cannot be longer than 500`],
    [{ types: ['a\u0000'] }, 'entityType "a\ufffd": A name cannot contain control'],
    [{ name: '\ud83d' }, 'A name cannot contain control'],
    [{ types: Array.from({ length: 101 }, String) }, '"Ann" has more than 100 types'],
  ])('with a name that is refused fails as a whole: %j', (given, reason) => {
    expect(toStatement(entity(given))).toEqual({
      kind: 'failed',
      line: 7,
      reason: expect.stringContaining(reason),
    })
  })
})

describe('a relation', () => {
  it('becomes a link', () => {
    expect(toStatement(relation({ relationType: ' works  at ' }))).toEqual({
      kind: 'relation',
      line: 7,
      about: 'Ann',
      links: [{ from: 'Ann', to: 'Bob', relationType: 'works at' }],
      lines: [],
      replaced: false,
    })
  })

  it('leaves the fields that a link has no place for with the concept it comes from', () => {
    expect(toStatement(relation({ details: ['since: 2020', 'weight: 0.5'] }))).toMatchObject({
      lines: ['knows → Bob (since: 2020, weight: 0.5)'],
    })
  })

  it('fails with a name or relation type that is refused', () => {
    for (const field of ['from', 'to', 'relationType'] as const) {
      expect(toStatement(relation({ [field]: '\u200b' }))).toMatchObject({
        kind: 'failed',
        reason: expect.stringContaining(`${field} "\ufffd": `),
      })
    }
  })
})
