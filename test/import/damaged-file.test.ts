import { describe, expect, it } from 'vitest'
import { entity, readItems, relation, told } from './read-items.ts'

const ann = entity('Ann')
const bob = entity('Bob')

describe('a line that is no JSON object', () => {
  it('is a failure with its number, and the rest goes on', async () => {
    const file = `This file was moved.\n${ann}\nnull\n42\n"text"\n# {heading}\n${bob}\n`
    expect(told(await readItems(file))).toEqual([
      '1: failed: text that is not a JSON object: "This file was moved."',
      '2: Ann',
      '3: failed: text that is not a JSON object: "null"',
      '4: failed: text that is not a JSON object: "42"',
      '5: failed: text that is not a JSON object: ""text""',
      '6: failed: text that is not a JSON object: "# {heading}"',
      '7: Bob',
    ])
  })

  it('may have a record behind it', async () => {
    expect(told(await readItems(`2025-01-01 INFO ${ann} written\n${bob}`))).toEqual([
      '1: failed: text that is not a JSON object: "2025-01-01 INFO"',
      '1: Ann',
      '2: Bob',
    ])
  })

  it('is shown shortened and without control characters', async () => {
    const [item] = told(await readItems(`\u001b[31m${'я'.repeat(100)}`))
    expect(item).toBe(`1: failed: text that is not a JSON object: "\ufffd[31m${'я'.repeat(55)}…"`)
  })
})

describe('a record that was cut off', () => {
  it('at the end of its line does not take the next lines with it', async () => {
    for (const cut of [ann.slice(0, 20), ann.slice(0, 30), ann.slice(0, -1), '{', '{"type":']) {
      const items = told(await readItems(`${cut}\n${bob}\n${ann}\n`))
      expect(items).toEqual([
        expect.stringMatching(/^1: failed: not valid JSON/),
        '2: Bob',
        '3: Ann',
      ])
    }
  })

  it('in the middle of a line does not take the record behind it', async () => {
    expect(told(await readItems(`${ann.slice(0, 30)}${bob}\n${ann}\n`))).toEqual([
      expect.stringMatching(/^1: failed: not valid JSON/),
      '1: Bob',
      '2: Ann',
    ])
  })

  it('at the end of the file is a failure', async () => {
    expect(told(await readItems(`${ann}\n${bob.slice(0, -5)}`))).toEqual([
      '1: Ann',
      '2: failed: not valid JSON: the file ends inside it',
    ])
  })

  it('behind a shorter one, as an overwritten file has it, leaves a failure', async () => {
    expect(told(await readItems(`${ann}rvations":["x"]}\n${bob}`))).toEqual([
      '1: Ann',
      '1: failed: text that is not a JSON object: "rvations":["x"]}"',
      '2: Bob',
    ])
  })

  it('in a file of many lines a record is one failure', async () => {
    const laidOut = JSON.stringify(JSON.parse(ann), null, 2).replace('person",', 'person"')
    expect(told(await readItems(`[${laidOut},\n${bob}]`))).toEqual([
      '1: failed: not valid JSON: """ where a comma or end should be on line 5',
      expect.stringMatching(/^6: failed/),
      '7: Bob',
    ])
  })
})

describe('a record that cannot be read', () => {
  it.each([
    ['NaN', '{"type":"entity","name":NaN}', 'Unexpected token'],
    ['a comma at the end', '{"type":"entity","name":"A",}', 'where a key should be'],
    ['single quotes', "{'type':'entity'}", 'where a key should be'],
    ['a missing comma', '{"type":"entity" "name":"A"}', 'where a comma or end should be'],
    ['the wrong bracket', '{"type":"entity","name":"A"]', 'where a comma or end should be'],
    ['a bare control character', '{"name":"a\u0001"}', 'control character inside a string'],
    ['a bad escape', '{"name":"\\x"}', 'Bad escaped character'],
    ['too many levels', `{"name":${'['.repeat(200)}`, 'more than 100 levels of nesting'],
  ])('for %s says why', async (_, line, reason) => {
    const items = told(await readItems(`${line}\n${bob}\n`))
    expect(items).toEqual([expect.stringContaining(reason), '2: Bob'])
    expect(items[0]).toMatch(/^1: failed: not valid JSON/)
  })

  it('in another encoding is a failure', async () => {
    const latin = Buffer.concat([
      Buffer.from('{"type":"entity","name":"caf'),
      Buffer.from([0xe9]),
      Buffer.from(`"}\n${bob}`),
    ])
    expect(told(await readItems(latin))).toEqual([
      '1: failed: not valid UTF-8: the file may be in another encoding',
      '2: Bob',
    ])
  })

  it('because it is too long is not held in memory, and the rest goes on', async () => {
    const long = entity('Long', { observations: ['x'.repeat(3 * 2 ** 20)] })
    for (const chunkSize of [1_000, 2 ** 16, 2 ** 30]) {
      expect(told(await readItems(`${ann}\n${long}\n${bob}`, chunkSize, 2 ** 20))).toEqual([
        '1: Ann',
        '2: failed: an object larger than 1 MiB',
        '3: Bob',
      ])
    }
  })

  it('because it is too long and cut off says where reading goes on', async () => {
    const long = entity('Long', { observations: ['x'.repeat(3 * 2 ** 20)] })
    expect(told(await readItems(`${long.slice(0, -2)}\n${ann}\n${bob}`, 1_000, 2 ** 20))).toEqual([
      '1: failed: an object larger than 1 MiB, of which nothing was read up to line 2',
      '2: Ann',
      '3: Bob',
    ])
  })

  it('is a line of text that is too long', async () => {
    expect(told(await readItems(`${'x'.repeat(3 * 2 ** 20)}\n${bob}`, 1_000, 2 ** 20))).toEqual([
      `1: failed: text that is not a JSON object: "${'x'.repeat(60)}…"`,
      '2: Bob',
    ])
  })
})

describe('something else in JSON', () => {
  it('is a failure that names its type', async () => {
    const lines = [
      '{"type":"codegraph","name":"Component","nodeType":"class"}',
      '{"subject":"Guard","fact":"only pure conditions"}',
      '{"type":"entity","entityType":"person"}',
      relation('Ann', '').replace('"to":""', '"to":null'),
      '{"type":"relation","to":"Bob","relationType":"knows"}',
      '{"type":"relation","from":"Ann","to":"Bob"}',
    ]
    expect(told(await readItems(lines.join('\n')))).toEqual([
      '1: failed: neither an entity nor a relation (its type is "codegraph")',
      '2: failed: neither an entity nor a relation',
      '3: failed: an entity without a name',
      '4: failed: a relation of "Ann" without "to"',
      '5: failed: a relation without "from"',
      '6: failed: a relation of "Ann" without a relationType',
    ])
  })

  it('is skipped where it marks the file', async () => {
    expect(told(await readItems(`{"type":"_aim","source":"mcp-knowledge-graph"}\n${ann}`))).toEqual(
      ['1: skipped: a file marker (_aim)', '2: Ann'],
    )
  })
})
