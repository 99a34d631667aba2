import fc from 'fast-check'
import { expect, it } from 'vitest'
import { readItems } from './read-items.ts'

const text = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.string({ unit: fc.constantFrom('{', '}', '[', ']', '"', '\\', ',', ':', '\n', 'é', '😀') }),
)
const name = text.filter(each => each !== '')
const entity = fc.record({
  type: fc.constant('entity'),
  name,
  entityType: name,
  observations: fc.array(name),
})
const relation = fc.record({
  type: fc.constant('relation'),
  from: name,
  to: name,
  relationType: name,
})
const records = fc.array(fc.oneof(entity, relation), { maxLength: 8 })
const chunkSize = fc.integer({ min: 1, max: 40 })

type Record = Partial<{ entityType: string } & { [key: string]: unknown }>
const withoutLine = ({ line: _, ...item }: { line: number }) => item
const expected = ({ type: kind, entityType, ...record }: Record) =>
  kind === 'entity' ? { kind, ...record, types: [entityType] } : { kind, ...record, details: [] }

it('what the memory server writes is read back, wherever the bytes are cut into pieces', async () => {
  await fc.assert(
    fc.asyncProperty(records, chunkSize, async (written, size) => {
      const file = written.map(record => `${JSON.stringify(record)}\n`).join('')
      const items = await readItems(file, size)
      expect(items.map(withoutLine)).toEqual(written.map(expected))
      expect(items.map(({ line }) => line)).toEqual(written.map((_, index) => index + 1))
    }),
  )
})

it('objects are told apart whatever their strings hold and whatever stands between them', async () => {
  const between = fc.constantFrom('', ' ', ',', '\n', '\r\n', ', ', '][', '\ufeff', '\t')
  const indent = fc.constantFrom(undefined, 2)
  await fc.assert(
    fc.asyncProperty(records, between, indent, chunkSize, async (written, gap, space, size) => {
      const file = written.map(record => JSON.stringify(record, null, space)).join(gap)
      expect((await readItems(file, size)).map(withoutLine)).toEqual(written.map(expected))
    }),
  )
})

it('a graph in one object is read as its lists are, wherever it is cut', async () => {
  const entities = fc.array(entity, { minLength: 1, maxLength: 5 })
  const relations = fc.array(relation, { maxLength: 5 })
  const indent = fc.constantFrom(undefined, 2)
  await fc.assert(
    fc.asyncProperty(entities, relations, indent, chunkSize, async (some, others, space, size) => {
      const file = JSON.stringify({ entities: some, relations: others }, null, space)
      const items = await readItems(file, size)
      expect(items.map(withoutLine)).toEqual([...some, ...others].map(expected))
    }),
  )
})

it('a damaged file gives the same items in any pieces, and its whole lines are read', async () => {
  const junk = fc.oneof(
    text,
    records.map(each => JSON.stringify(each).slice(1, -3)),
  )
  await fc.assert(
    fc.asyncProperty(records, junk, records, chunkSize, async (before, damage, after, size) => {
      const lines = [...before.map(toLine), damage.replaceAll('\n', ' '), '', ...after.map(toLine)]
      const items = await readItems(lines.join('\n'), size)
      expect(items).toEqual(await readItems(lines.join('\n')))
      const wholeLines = items.filter(
        ({ line }) => line <= before.length || line > before.length + 2,
      )
      expect(wholeLines.map(withoutLine)).toEqual([...before, ...after].map(expected))
    }),
  )
})

const toLine = (record: unknown) => JSON.stringify(record)
