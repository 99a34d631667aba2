import { badInput, DomainError } from '../core/errors.ts'
import { normalizeName } from '../core/names.ts'
import type { MemoryEntity, MemoryFailure, MemoryRelation } from './mcp-memory.ts'
import { quoted } from './quoted.ts'

/** What one record of the file says about the concept graph, in names that the graph accepts. */
export interface Statement {
  line: number
  kind: 'entity' | 'relation'
  /** The concept that it is about, and what its description has to hold. */
  about: string
  lines: string[]
  /** The links, whose ends have to be there too. */
  links: ConceptLink[]
  /** Whether the lines had characters that PostgreSQL cannot keep; U+FFFD stands in their place. */
  replaced: boolean
}

export interface ConceptLink {
  from: string
  to: string
  relationType: string
}

/** The relation of an entity to the concept that is its type. */
const typeRelation = 'is_a'
// More would not fit into a batch.
const maxTypes = 100

/**
 * An entity becomes a concept: its types are concepts that it is_a, its observations lines of its
 * description. A relation becomes a link; fields that a link has no place for become a line of the
 * description of the concept that it comes from.
 */
export function toStatement(item: MemoryEntity | MemoryRelation): Statement | MemoryFailure {
  try {
    return item.kind === 'entity' ? entityStatement(item) : relationStatement(item)
  } catch (error) {
    if (!(error instanceof DomainError)) throw error
    return { kind: 'failed', line: item.line, reason: error.message }
  }
}

function entityStatement(entity: MemoryEntity): Statement {
  const concept = nameOf(entity.name, 'name')
  const lines = entity.observations.map(toDescriptionText).filter(line => line !== '')
  if (entity.types.length > maxTypes) {
    throw badInput(`${quoted(entity.name)} has more than ${maxTypes} types`, 'entityType')
  }
  const types = entity.types.map(type => nameOf(type, 'entityType'))
  return {
    line: entity.line,
    kind: 'entity',
    links: types
      .filter(type => type !== concept)
      .map(type => ({ from: concept, to: type, relationType: typeRelation })),
    about: concept,
    lines,
    replaced: entity.observations.some(hasUnkeepable),
  }
}

function relationStatement(relation: MemoryRelation): Statement {
  const from = nameOf(relation.from, 'from')
  const to = nameOf(relation.to, 'to')
  const relationType = nameOf(relation.relationType, 'relationType')
  const details = relation.details.map(toDescriptionText).join(', ')
  return {
    line: relation.line,
    kind: 'relation',
    links: [{ from, to, relationType }],
    about: from,
    lines: details === '' ? [] : [`${relationType} → ${to} (${details})`],
    replaced: relation.details.some(hasUnkeepable),
  }
}

function nameOf(raw: string, field: string): string {
  try {
    return normalizeName(raw, field)
  } catch (error) {
    if (!(error instanceof DomainError)) throw error
    throw new DomainError(error.code, `${field} ${quoted(raw)}: ${error.message}`, field)
  }
}

/** Text as PostgreSQL can keep it, in the line ends that descriptions have. */
const toDescriptionText = (text: string) =>
  text
    .replace(/\r\n?/g, '\n')
    .replace(/\p{Cs}/gu, '\ufffd')
    .replaceAll('\0', '\ufffd')
    .trim()

const hasUnkeepable = (text: string) => text.includes('\0') || !text.isWellFormed()
