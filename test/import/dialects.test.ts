import { readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { readItems } from './read-items.ts'

const entityOf = async (record: object) => {
  const [item] = await readItems(JSON.stringify(record))
  return item
}

describe('an entity', () => {
  it('is told by _type, or by its fields where it has no type', async () => {
    const ann = { name: 'Ann', entityType: 'person', observations: ['likes tea'] }
    const expected = { kind: 'entity', name: 'Ann', types: ['person'], observations: ['likes tea'] }
    expect(await entityOf({ _type: 'entity', ...ann })).toMatchObject(expected)
    expect(await entityOf({ type: 'Entity', ...ann })).toMatchObject(expected)
    expect(await entityOf(ann)).toMatchObject(expected)
    expect(await entityOf({ _type: 'entity', name: 'Ann', type: 'person' })).toMatchObject({
      types: ['person'],
    })
  })

  it('may have its fields in snake case, or wrapped in data', async () => {
    const record = { name: 'Ann', entity_type: 'person' }
    const expected = { kind: 'entity', name: 'Ann', types: ['person'] }
    expect(await entityOf({ type: 'entity', ...record })).toMatchObject(expected)
    expect(await entityOf({ type: 'entity', data: record })).toMatchObject(expected)
  })

  it('may have no type, several, or a number for a name', async () => {
    expect(await entityOf({ type: 'entity', name: 'Ann' })).toMatchObject({ types: [] })
    expect(await entityOf({ type: 'entity', name: 'Ann', entityType: null })).toMatchObject({
      types: [],
    })
    expect(await entityOf({ type: 'entity', name: 7, entityType: ['a', 'b'] })).toMatchObject({
      name: '7',
      types: ['a', 'b'],
    })
  })

  it('may have its observations as text, as nothing, as objects and as other values', async () => {
    const read = async (observations: unknown) => {
      const item = await entityOf({ type: 'entity', name: 'Ann', observations })
      return item?.kind === 'entity' ? item.observations : item
    }
    expect(await read('likes tea')).toEqual(['likes tea'])
    expect(await read(null)).toEqual([])
    expect(await read(42)).toEqual(['42'])
    expect(await read([null, true, 1.5, 'x', ['y']])).toEqual(['true', '1.5', 'x', 'y'])
    expect(
      await read([
        { text: 'likes tea' },
        { content: 'likes tea', ts: '2025', by: null },
        { mood: 'calm', since: 2020 },
        { text: 'x', tags: ['a', 'b'], at: { x: 1 } },
      ]),
    ).toEqual([
      'likes tea',
      'likes tea (ts: 2025)',
      'mood: calm, since: 2020',
      'x (tags: ["a","b"], at: {"x":1})',
    ])
  })

  it('keeps numbers as they are written', async () => {
    const numbers = '[9007199254740993,1e400,-0,1.10,123,-4.5,{"n":0.10000000000000000555,"m":1e2}]'
    const [item] = await readItems(
      `{"type":"entity","name":"n","observations":${numbers},"size":1.0}`,
    )
    expect(item).toMatchObject({
      observations: [
        '9007199254740993',
        '1e400',
        '-0',
        '1.10',
        '123',
        '-4.5',
        'n: 0.10000000000000000555, m: 1e2',
        'size: 1.0',
      ],
    })
  })

  it('keeps the fields that have no other place, behind its observations', async () => {
    expect(
      await entityOf({
        type: 'entity',
        createdAt: '2025-01-14',
        description: 'A baker',
        name: 'Ann',
        entityType: 'person',
        entity_type: 'human',
        observations: ['likes tea'],
        aliases: [],
        meta: { a: 1 },
      }),
    ).toMatchObject({
      types: ['person'],
      observations: [
        'A baker',
        'likes tea',
        'createdAt: 2025-01-14',
        'entity_type: human',
        'meta: {"a":1}',
      ],
    })
  })

  it('may be named to add observations to it', async () => {
    const added = { entityName: 'Ann', contents: ['likes tea'] }
    const expected = { kind: 'entity', name: 'Ann', types: [], observations: ['likes tea'] }
    expect(await entityOf(added)).toMatchObject(expected)
    expect(await entityOf({ type: 'observation', ...added })).toMatchObject(expected)
  })
})

describe('a relation', () => {
  it('is told by its ends where it has no type', async () => {
    const expected = { kind: 'relation', from: 'Ann', to: 'Bob', relationType: 'knows' }
    expect(await entityOf({ from: 'Ann', to: 'Bob', relationType: 'knows' })).toMatchObject(
      expected,
    )
    expect(await entityOf({ from: 'Ann', to: 'Bob', relation_type: 'knows' })).toMatchObject(
      expected,
    )
    expect(await entityOf({ source: 'Ann', target: 'Bob', type: 'knows' })).toMatchObject(expected)
    expect(
      await entityOf({ _type: 'relation', source: 'Ann', target: 'Bob', relation: 'knows' }),
    ).toMatchObject(expected)
  })

  it('keeps the fields that a link has no place for', async () => {
    expect(
      await entityOf({ from: 'Ann', to: 'Bob', relationType: 'knows', since: 2020, weight: 0.5 }),
    ).toMatchObject({ details: ['since: 2020', 'weight: 0.5'] })
  })

  it('may stand in the entity that it starts or ends at', async () => {
    const relations = [
      { to: 'Bob', relationType: 'knows' },
      { target: 'Bob', type: 'likes' },
      { from: 'Bob', relationType: 'calls' },
    ]
    expect(
      await readItems(JSON.stringify({ name: 'Ann', observations: ['x'], relations })),
    ).toEqual([
      { kind: 'entity', line: 1, name: 'Ann', types: [], observations: ['x'] },
      { kind: 'relation', line: 1, from: 'Ann', to: 'Bob', relationType: 'knows', details: [] },
      { kind: 'relation', line: 1, from: 'Ann', to: 'Bob', relationType: 'likes', details: [] },
      { kind: 'relation', line: 1, from: 'Bob', to: 'Ann', relationType: 'calls', details: [] },
    ])
  })

  it('may stand in the entity under its type', async () => {
    const relations = { knows: ['Bob', { to: 'Eve', since: 2020 }], likes: 'tea' }
    const items = await readItems(JSON.stringify({ type: 'entity', name: 'Ann', relations }))
    expect(items.slice(1)).toMatchObject([
      { from: 'Ann', to: 'Bob', relationType: 'knows' },
      { from: 'Ann', to: 'Eve', relationType: 'knows', details: ['since: 2020'] },
      { from: 'Ann', to: 'tea', relationType: 'likes' },
    ])
  })

  it('in an entity that is none is a failure of its own', async () => {
    const record = { type: 'entity', name: 'Ann', relations: ['knows Bob', { to: 'Bob' }] }
    expect(await readItems(JSON.stringify(record))).toMatchObject([
      { kind: 'entity', name: 'Ann' },
      { kind: 'failed', reason: 'a relation of "Ann" that is not an object: "knows Bob"' },
      { kind: 'failed', reason: 'a relation of "Ann" without a relationType' },
    ])
  })
})

it('the file of dialects is read without a failure', async () => {
  const file = await readFile(new URL('../data/memory-dialects.jsonl', import.meta.url))
  const kinds = (await readItems(file)).map(({ kind }) => kind)
  expect(kinds).not.toContain('failed')
  expect(kinds.filter(kind => kind === 'relation')).toHaveLength(4)
})
