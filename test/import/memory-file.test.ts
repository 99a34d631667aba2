import { describe, expect, it } from 'vitest'
import { entity, readItems, relation, told } from './read-items.ts'

const ann = entity('Ann')
const bob = entity('Bob')
const annKnowsBob = relation('Ann', 'Bob')

describe('a memory file', () => {
  it('is read as the memory server writes it', async () => {
    const file = `{"type":"entity","name":"Ann","entityType":"person","observations":["likes tea"]}\n${annKnowsBob}\n`
    expect(await readItems(file)).toEqual([
      { kind: 'entity', line: 1, name: 'Ann', types: ['person'], observations: ['likes tea'] },
      { kind: 'relation', line: 2, from: 'Ann', to: 'Bob', relationType: 'knows', details: [] },
    ])
  })

  it('may have a byte order mark, CRLF, empty lines and no last newline', async () => {
    const file = `\ufeff\r\n${ann}\r\n\r\n  \r\n${annKnowsBob}\r\n${bob}`
    expect(told(await readItems(file))).toEqual(['2: Ann', '5: Ann knows Bob', '6: Bob'])
  })

  it('may have several objects on a line, however they are set apart', async () => {
    const file = `${ann}${bob}\n${ann} ${bob}\n${ann}, ${bob},\n\ufeff${annKnowsBob}\u001e${ann}\n`
    expect(told(await readItems(file))).toEqual([
      '1: Ann',
      '1: Bob',
      '2: Ann',
      '2: Bob',
      '3: Ann',
      '3: Bob',
      '4: Ann knows Bob',
      '4: Ann',
    ])
  })

  it('may be one array', async () => {
    expect(told(await readItems(`[${ann},${annKnowsBob}]`))).toEqual(['1: Ann', '1: Ann knows Bob'])
    expect(told(await readItems(`[\n  ${ann},\n  ${annKnowsBob}\n]\n`))).toEqual([
      '2: Ann',
      '3: Ann knows Bob',
    ])
    expect(await readItems('[]')).toEqual([])
  })

  it('may be laid out over many lines', async () => {
    const file = JSON.stringify([JSON.parse(ann), JSON.parse(annKnowsBob)], null, 2)
    expect(told(await readItems(file))).toEqual(['2: Ann', '8: Ann knows Bob'])
  })

  it('may be in UTF-16, as PowerShell writes it', async () => {
    const little = Buffer.from(`\ufeff${entity('Анна')}\r\n${bob}`, 'utf16le')
    const big = Buffer.from(little).swap16()
    for (const file of [little, big]) {
      for (const chunkSize of [1, 3, 1_000]) {
        expect(told(await readItems(file, chunkSize))).toEqual(['1: Анна', '2: Bob'])
      }
    }
  })

  it('may be empty', async () => {
    expect(await readItems('')).toEqual([])
    expect(await readItems('\ufeff\r\n')).toEqual([])
  })
})

describe('a graph in one object, as read_graph answers it', () => {
  const entities = [
    { name: 'Ann', entityType: 'person', observations: ['likes tea'] },
    { name: 'Bob', type: 'person' },
  ]
  const relations = [{ from: 'Ann', to: 'Bob', relationType: 'knows' }]
  const expected = ['Ann', 'Bob', 'Ann knows Bob']

  const names = async (file: string) =>
    told(await readItems(file)).map(line => line.replace(/^\d+: /, ''))

  it('is read list by list, in either order and layout', async () => {
    for (const indent of [undefined, 2]) {
      expect(await names(JSON.stringify({ entities, relations }, null, indent))).toEqual(expected)
      expect(await names(JSON.stringify({ relations, entities }, null, indent))).toEqual([
        'Ann knows Bob',
        'Ann',
        'Bob',
      ])
    }
  })

  it('tells the line of each element', async () => {
    const file = JSON.stringify({ entities, relations }, null, 2)
    expect(told(await readItems(file))).toEqual(['3: Ann', '10: Bob', '16: Ann knows Bob'])
  })

  it('may be larger than any one object may be', async () => {
    const many = Array.from({ length: 5_000 }, (_, n) => ({ ...entities[0], name: `e${n}` }))
    const items = await readItems(JSON.stringify({ entities: many, relations }))
    expect(items.filter(item => item.kind === 'entity')).toHaveLength(5_000)
    expect(items.at(-1)).toMatchObject({ kind: 'relation', from: 'Ann' })
  })

  it('names what it holds besides its lists', async () => {
    const graph = { version: 1, entities, source: { app: 'x' }, relations, exportedAt: 'today' }
    expect(await names(JSON.stringify(graph))).toEqual([
      'skipped: about the file, not memory: version',
      'Ann',
      'Bob',
      'skipped: about the file, not memory: source',
      'Ann knows Bob',
      'skipped: about the file, not memory: exportedAt',
    ])
  })

  it('may hold its entities by name', async () => {
    const graph = { relations, entities: { Ann: entities[0], Bob: ['likes tea'] } }
    expect(await readItems(JSON.stringify(graph))).toMatchObject([
      { name: 'Ann', observations: ['likes tea'] },
      { name: 'Bob', observations: ['likes tea'] },
      { from: 'Ann', to: 'Bob' },
    ])
  })

  it('has a failure for each element that is no object', async () => {
    expect(await names(JSON.stringify({ entities: ['Ann', 7], relations }))).toEqual([
      'failed: not an object: "Ann"',
      'failed: not an object: "7"',
      'Ann knows Bob',
    ])
    const late = JSON.stringify({ entities: [...entities, 'Eve'], relations }, null, 2)
    expect(await names(late)).toEqual([
      'Ann',
      'Bob',
      'failed: text that is not a JSON object: ""Eve""',
      'Ann knows Bob',
    ])
  })

  it('may have empty lists', async () => {
    expect(await names(JSON.stringify({ entities: [], relations }))).toEqual(['Ann knows Bob'])
    expect(await names(JSON.stringify({ entities: [], relations: [] }))).toEqual([])
  })

  it('may have lines of records behind it', async () => {
    const file = `${JSON.stringify({ entities, relations })}\n${annKnowsBob}\n`
    expect(told(await readItems(file)).at(-1)).toBe('2: Ann knows Bob')
  })
})
