import { describe, expect, it } from 'vitest'
import { type KnownGraph, linkKey, planBatch } from '../../src/import/batch.ts'
import { type Statement, toStatement } from '../../src/import/mapping.ts'

const emptyGraph: KnownGraph = { descriptions: new Map(), links: new Set() }

const entity = (name: string, observations: string[] = [], types: string[] = []) =>
  toStatement({ kind: 'entity', line: 1, name, types, observations }) as Statement

const relation = (from: string, to: string, details: string[] = []) =>
  toStatement({ kind: 'relation', line: 1, from, to, relationType: 'knows', details }) as Statement

const plan = (statements: Statement[], known = emptyGraph, maxDescription = 1_000) =>
  planBatch(statements, known, maxDescription)

const known = (descriptions: Record<string, string | null>, links: [string, string][] = []) => ({
  descriptions: new Map(Object.entries(descriptions)),
  links: new Set(links.map(([from, to]) => linkKey({ from, to, relationType: 'knows' }))),
})

describe('a batch', () => {
  it('creates concepts, the types of entities and the ends of relations', () => {
    const planned = plan([entity('Ann', ['likes tea'], ['person']), relation('Ann', 'Bob')])
    expect(planned).toMatchObject({
      concepts: [{ name: 'Ann', description: 'likes tea' }, { name: 'person' }, { name: 'Bob' }],
      links: [
        { from: 'Ann', to: 'person', relationType: 'is_a' },
        { from: 'Ann', to: 'Bob', relationType: 'knows' },
      ],
      outcomes: [{ kind: 'imported' }, { kind: 'imported' }],
      created: 3,
      extended: 0,
    })
  })

  it('tells which new concepts relations alone name', () => {
    const statements = [
      relation('Ann', 'Bob'),
      relation('Eve', 'cake'),
      entity('Ann', [], ['cake']),
    ]
    expect(plan(statements)).toMatchObject({ named: ['Ann', 'cake'], stubs: ['Bob', 'Eve'] })
    expect(plan(statements, known({ Bob: null, Eve: null }))).toMatchObject({ stubs: [] })
  })

  it('merges an entity that comes more than once', () => {
    const statements = [entity('Ann', ['a', 'b']), entity('Ann', ['b', 'c']), entity('Ann', ['a'])]
    const { concepts, outcomes } = plan(statements)
    expect(concepts).toEqual([{ name: 'Ann', description: 'a\nb\nc' }])
    expect(outcomes).toEqual([{ kind: 'imported' }, { kind: 'imported' }, { kind: 'skipped' }])
  })

  it('keeps an existing description and adds the lines that are missing', () => {
    expect(plan([entity('Ann', ['a', 'b', 'c'])], known({ Ann: 'By hand.\nb' }))).toMatchObject({
      concepts: [{ name: 'Ann', description: 'By hand.\nb\na\nc' }],
      created: 0,
      extended: 1,
    })
    expect(plan([entity('Ann')], known({ Ann: 'By hand.' }))).toMatchObject({
      concepts: [],
      outcomes: [{ kind: 'skipped' }],
    })
  })

  it('knows an observation of several lines again, and not a part of a line', () => {
    const description = 'one\ntwo\nthree four'
    const { concepts } = plan(
      [entity('Ann', ['one\ntwo', 'two\nthree', 'three', 'four'])],
      known({ Ann: description }),
    )
    expect(concepts).toEqual([
      { name: 'Ann', description: `${description}\ntwo\nthree\nthree\nfour` },
    ])
  })

  it('writes nothing that is there already', () => {
    const graph = known({ Ann: 'likes tea', Bob: null }, [['Ann', 'Bob']])
    expect(plan([entity('Ann', ['likes tea']), relation('Ann', 'Bob')], graph)).toMatchObject({
      concepts: [],
      links: [],
      outcomes: [{ kind: 'skipped' }, { kind: 'skipped' }],
    })
  })

  it('writes the details of a relation once', () => {
    const statements = [
      relation('Ann', 'Bob', ['since: 2020']),
      relation('Ann', 'Bob', ['since: 2020']),
    ]
    const { concepts, outcomes } = plan(statements)
    expect(concepts[0]).toEqual({ name: 'Ann', description: 'knows → Bob (since: 2020)' })
    expect(outcomes).toEqual([{ kind: 'imported' }, { kind: 'skipped' }])
  })

  it('refuses what would make a description too long, and only that', () => {
    const statements = [
      entity('Ann', ['x'.repeat(600)], ['person']),
      entity('Ann', ['y'.repeat(600)], ['a']),
    ]
    expect(plan([...statements, entity('Bob')])).toMatchObject({
      concepts: [{ name: 'Ann' }, { name: 'person' }, { name: 'Bob' }],
      links: [{ to: 'person' }],
      outcomes: [
        { kind: 'imported' },
        {
          kind: 'failed',
          reason: 'the description of "Ann" would be longer than 1000 characters',
        },
        { kind: 'imported' },
      ],
    })
  })
})
