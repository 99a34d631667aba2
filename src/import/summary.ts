import type { ImportCounts } from './command.ts'
import type { MemoryFailure } from './mcp-memory.ts'

const count = (value: number) => value.toLocaleString('en-US')

const counted = (value: number, one: string, many: string) =>
  `${count(value)} ${value === 1 ? one : many}`

const records = ({ entities, relations }: { entities: number; relations: number }) =>
  `${counted(entities, 'entity', 'entities')}, ${counted(relations, 'relation', 'relations')}`

/** What an import did, for people. `failures` are the first of them. */
export function summarize(
  path: string,
  counts: ImportCounts,
  failures: readonly MemoryFailure[],
): string {
  const { entities, relations, concepts, links } = counts
  const imported = { entities: entities.imported, relations: relations.imported }
  const skipped = { entities: entities.skipped, relations: relations.skipped }
  const lines = [
    heading(path, counts),
    `  imported  ${records(imported)}`,
    `  skipped   ${records(skipped)}, which were there already`,
    `  failed    ${count(counts.failed)}`,
    `  written   ${counted(concepts.created, 'concept', 'concepts')} created, ${count(concepts.extended)} extended; ${counted(links.created, 'link', 'links')} created`,
  ]
  if (counts.ignored > 0) {
    lines.push(`  ignored   ${counted(counts.ignored, 'part that is', 'parts that are')} no memory`)
  }
  if (counts.stubs > 0) {
    lines.push(
      `  note      ${counted(counts.stubs, 'concept is', 'concepts are')} named by relations only and have no description`,
    )
  }
  if (counts.replaced > 0) {
    lines.push(
      `  note      ${counted(counts.replaced, 'record', 'records')} had characters that cannot be stored; U+FFFD stands in their place`,
    )
  }
  return [...lines, ...failureLines(counts.failed, failures), ''].join('\n')
}

function heading(path: string, counts: ImportCounts): string {
  if (counts.stopped)
    return `Stopped before the end of ${path}; the same command goes on from here.`
  const { entities, relations, failed } = counts
  const isNew = entities.imported + relations.imported > 0
  const isKnown = entities.skipped + relations.skipped > 0
  if (isNew || failed > 0) return `Imported ${path}`
  return isKnown ? `Nothing new in ${path}: all of it was there already` : `No memory in ${path}`
}

function failureLines(failed: number, shown: readonly MemoryFailure[]): string[] {
  if (failed === 0) return []
  const more = failed - shown.length
  return [
    'Failed:',
    ...[...shown].sort((a, b) => a.line - b.line).map(f => `  line ${f.line}: ${f.reason}`),
    ...(more > 0 ? [`  and ${count(more)} more; --report <file> lists them all`] : []),
  ]
}
