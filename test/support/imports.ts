import { dirname, join, normalize } from 'node:path'
import ts from 'typescript'

/** Source text by path from the root, with forward slashes: `src/graph/links.ts`. */
export type Sources = ReadonlyMap<string, string>

const rank: Record<string, number> = {
  core: 0,
  events: 1,
  identity: 2,
  graph: 3,
  memory: 4,
  messages: 4,
  processes: 5,
  llm: 6,
  schedules: 6,
  executor: 7,
  n8n: 7,
  journal: 6,
  workspace: 6,
  import: 7,
  server: 7,
  'schema.ts': 8,
  'app.ts': 9,
  'main.ts': 10,
}
const rooms = Object.keys(rank).filter(
  name => name !== 'core' && name !== 'server' && !name.endsWith('.ts'),
)

const placeOf = (path: string) => path.split('/')[1] ?? ''

/** What a file imports: packages by name, files by their path from the root. */
function importsOf(path: string, text: string): string[] {
  return ts
    .preProcessFile(text)
    .importedFiles.map(({ fileName }) =>
      fileName.startsWith('.') ? normalize(join(dirname(path), fileName)) : fileName,
    )
}

/** Imports that run against the order of the rooms, or into another room of the same rank. */
export function againstTheOrder(sources: Sources): string[] {
  return edges(sources)
    .filter(([from, to]) => {
      const [own, other] = [placeOf(from), placeOf(to)]
      const [ownRank, otherRank] = [rank[own], rank[other]]
      if (!to.startsWith('src/') || own === other) return false
      if (other === 'server' && own !== 'app.ts') return true
      return ownRank !== undefined && otherRank !== undefined && otherRank >= ownRank
    })
    .map(([from, to]) => `${from} → ${to}`)
}

/** Files of a room, other than its schema, that know GraphQL. */
export function rulesThatKnowGraphql(sources: Sources): string[] {
  return edges(sources)
    .filter(([from, to]) => {
      const isRule = rooms.includes(placeOf(from)) && !from.endsWith('.schema.ts')
      const isGraphql =
        /^(graphql|@pothos)(\/|$)/.test(to) ||
        to.endsWith('.schema.ts') ||
        to === 'src/core/builder.ts'
      return isRule && isGraphql
    })
    .map(([from, to]) => `${from} → ${to}`)
}

/** The first cycle of imports as a path, or null. */
export function importCycle(sources: Sources): string | null {
  const done = new Set<string>()
  const visit = (path: string, trail: readonly string[]): string | null => {
    if (trail.includes(path)) return [...trail.slice(trail.indexOf(path)), path].join(' → ')
    if (done.has(path)) return null
    for (const next of importsOf(path, sources.get(path) ?? '')) {
      const cycle = sources.has(next) ? visit(next, [...trail, path]) : null
      if (cycle) return cycle
    }
    done.add(path)
    return null
  }
  for (const path of sources.keys()) {
    const cycle = visit(path, [])
    if (cycle) return cycle
  }
  return null
}

function edges(sources: Sources): [from: string, to: string][] {
  return [...sources].flatMap(([path, text]) =>
    importsOf(path, text).map((to): [string, string] => [path, to]),
  )
}
