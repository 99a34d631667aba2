import { expect, it } from 'vitest'
import type { ImportCounts } from '../../src/import/command.ts'
import { Progress } from '../../src/import/progress.ts'
import { summarize } from '../../src/import/summary.ts'

const nothing: ImportCounts = {
  entities: { imported: 0, skipped: 0 },
  relations: { imported: 0, skipped: 0 },
  ignored: 0,
  failed: 0,
  concepts: { created: 0, extended: 0 },
  links: { created: 0 },
  stubs: 0,
  replaced: 0,
  stopped: false,
}

it('a summary counts what was imported, skipped and failed, and lists the first failures', () => {
  const counts: ImportCounts = {
    ...nothing,
    entities: { imported: 1_200, skipped: 1 },
    relations: { imported: 1, skipped: 0 },
    ignored: 1,
    failed: 3,
    concepts: { created: 1_210, extended: 4 },
    links: { created: 1_100 },
    stubs: 2,
    replaced: 1,
  }
  const failures = [
    { kind: 'failed' as const, line: 12, reason: 'an entity without a name' },
    { kind: 'failed' as const, line: 3, reason: 'text that is not a JSON object: "hello"' },
  ]
  expect(summarize('memory.jsonl', counts, failures)).toMatchInlineSnapshot(`
    "Imported memory.jsonl
      imported  1,200 entities, 1 relation
      skipped   1 entity, 0 relations, which were there already
      failed    3
      written   1,210 concepts created, 4 extended; 1,100 links created
      ignored   1 part that is no memory
      note      2 concepts are named by relations only and have no description
      note      1 record had characters that cannot be stored; U+FFFD stands in their place
    Failed:
      line 3: text that is not a JSON object: "hello"
      line 12: an entity without a name
      and 1 more; --report <file> lists them all
    "
  `)
})

it('a summary says when there was nothing new, nothing at all, or not all', () => {
  const heading = (counts: Partial<ImportCounts>) =>
    summarize('m.jsonl', { ...nothing, ...counts }, []).split('\n')[0]
  expect(heading({ entities: { imported: 0, skipped: 5 } })).toBe(
    'Nothing new in m.jsonl: all of it was there already',
  )
  expect(heading({})).toBe('No memory in m.jsonl')
  expect(heading({ failed: 1 })).toBe('Imported m.jsonl')
  expect(heading({ stopped: true })).toBe(
    'Stopped before the end of m.jsonl; the same command goes on from here.',
  )
})

it('progress is one changing line on a terminal, and a line now and then elsewhere', () => {
  const shown = (isTTY: boolean) => {
    const written: string[] = []
    const progress = new Progress({ isTTY, write: text => written.push(text) })
    for (let records = 1_000; records <= 25_000; records += 1_000) {
      progress.show({ records, bytes: records, totalBytes: 50_000 })
    }
    progress.clear()
    return written
  }
  expect(shown(false)).toEqual(['20 %, 10,000 records\n', '40 %, 20,000 records\n'])
  expect(shown(true)).toEqual(['\r\u001b[K2 %, 1,000 records', '\r\u001b[K'])
})
