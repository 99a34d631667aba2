import { Description } from './description.ts'
import type { ConceptLink, Statement } from './mapping.ts'
import { quoted } from './quoted.ts'

/** What the database holds of the concepts and links that a batch of statements is about. */
export interface KnownGraph {
  /** Descriptions by name, of the concepts that exist. */
  descriptions: ReadonlyMap<string, string | null>
  /** `linkKey` of the links that exist. */
  links: ReadonlySet<string>
}

/** What becomes of a statement; it is skipped when all it says is in the graph already. */
type Outcome = { kind: 'imported' | 'skipped' } | { kind: 'failed'; reason: string }

/** What to write so that the statements hold. */
export interface BatchPlan {
  /** The concepts that are new and those that get more description. */
  concepts: { name: string; description: string | null }[]
  links: ConceptLink[]
  /** One for each statement, in order. */
  outcomes: Outcome[]
  created: number
  extended: number
  /** Concepts that entities name, as themselves or as their type. */
  named: string[]
  /** New concepts that relations alone name, as far as this batch goes. */
  stubs: string[]
}

// Names have no line breaks.
export const linkKey = (link: ConceptLink) => `${link.from}\n${link.relationType}\n${link.to}`

/** The concepts that have to be known to plan a batch. */
export function namesIn(statements: readonly Statement[]): string[] {
  const ends = statements.flatMap(({ links }) => links.flatMap(({ from, to }) => [from, to]))
  return [...new Set([...statements.map(({ about }) => about), ...ends])]
}

/** `maxDescription` is the length of the longest description that the graph accepts. */
export function planBatch(
  statements: readonly Statement[],
  known: KnownGraph,
  maxDescription: number,
): BatchPlan {
  const concepts = new Map<string, PlannedConcept>()
  const links = new Map<string, ConceptLink>()

  const conceptOf = (name: string) => {
    let concept = concepts.get(name)
    if (concept === undefined) {
      concept = new PlannedConcept(name, known.descriptions.get(name))
      concepts.set(name, concept)
    }
    return concept
  }

  const apply = (statement: Statement): Outcome => {
    const about = conceptOf(statement.about)
    const missing = about.description.missing(statement.lines)
    if (about.description.lengthWith(missing) > maxDescription) {
      const reason = `the description of ${quoted(about.name)} would be longer than ${maxDescription} characters`
      return { kind: 'failed', reason }
    }
    let changes = missing.length > 0
    const include = (name: string) => {
      const concept = conceptOf(name)
      if (!concept.exists && !concept.isWanted) changes = true
      concept.isWanted = true
      if (statement.kind === 'entity') concept.isNamed = true
    }
    include(statement.about)
    about.description.append(missing)
    for (const link of statement.links) {
      include(link.from)
      include(link.to)
      const key = linkKey(link)
      if (known.links.has(key) || links.has(key)) continue
      links.set(key, link)
      changes = true
    }
    return { kind: changes ? 'imported' : 'skipped' }
  }

  const outcomes = statements.map(apply)
  const all = [...concepts.values()]
  const created = all.filter(concept => concept.isWanted && !concept.exists)
  const extended = all.filter(concept => concept.exists && concept.description.isExtended)
  return {
    concepts: [...created, ...extended].map(({ name, description }) => ({
      name,
      description: description.isExtended ? description.text : null,
    })),
    links: [...links.values()],
    outcomes,
    created: created.length,
    extended: extended.length,
    named: all.filter(({ isNamed }) => isNamed).map(({ name }) => name),
    stubs: created.filter(({ isNamed }) => !isNamed).map(({ name }) => name),
  }
}

class PlannedConcept {
  readonly name: string
  readonly exists: boolean
  readonly description: Description
  /** Some statement needs it. */
  isWanted = false
  /** An entity names it, as itself or as its type. */
  isNamed = false

  constructor(name: string, known: string | null | undefined) {
    this.name = name
    this.exists = known !== undefined
    this.description = new Description(known ?? null)
  }
}
