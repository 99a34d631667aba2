import { isObject, type Json, type JsonObject } from '../core/json.ts'
import { toUtf8 } from './encoding.ts'
import { Fields, toLines, toName, toText } from './fields.ts'
import { parseJson } from './json.ts'
import { ObjectScanner, type Scanned, type ScanOptions, type Section } from './object-scanner.ts'
import { printable, quoted } from './quoted.ts'

/** A thing remembered. `line` is the line of the file that its record begins on. */
export interface MemoryEntity {
  kind: 'entity'
  line: number
  name: string
  types: string[]
  /** The observations in their order, and then the fields that have no other place. */
  observations: string[]
}

export interface MemoryRelation {
  kind: 'relation'
  line: number
  from: string
  to: string
  relationType: string
  /** The fields that a link has no place for. */
  details: string[]
}

/** What is no memory at all, such as a marker of the program that wrote the file. */
export interface MemorySkipped {
  kind: 'skipped'
  line: number
  reason: string
}

export interface MemoryFailure {
  kind: 'failed'
  line: number
  reason: string
}

export type MemoryItem = MemoryEntity | MemoryRelation | MemorySkipped | MemoryFailure

/**
 * Reads a file of the MCP memory server, `@modelcontextprotocol/server-memory`: one JSON object a
 * line, `{"type":"entity","name","entityType","observations"}` or
 * `{"type":"relation","from","to","relationType"}`; and the dialects of its forks and of people's
 * own scripts (docs/import.md). Every object and every line of other text gives an item.
 */
export async function* readMemory(
  chunks: AsyncIterable<Uint8Array>,
  options: ScanOptions,
): AsyncGenerator<MemoryItem> {
  const scanner = new ObjectScanner(options)
  for await (const chunk of toUtf8(chunks)) {
    for (const scanned of scanner.push(chunk)) yield* readScanned(scanned)
  }
  for (const scanned of scanner.end()) yield* readScanned(scanned)
}

function* readScanned(scanned: Scanned): Generator<MemoryItem> {
  if ('reason' in scanned) {
    yield failure(scanned.line, scanned.reason)
    return
  }
  let value: Json
  try {
    value = parseJson(scanned.text)
  } catch (error) {
    yield failure(scanned.line, `not valid JSON: ${printable((error as Error).message)}`)
    return
  }
  yield* readRecord(value, scanned.line, scanned.section)
}

function* readRecord(value: Json, line: number, section: Section): Generator<MemoryItem> {
  if (!isObject(value)) {
    yield failure(line, `not an object: ${quoted(toText(value))}`)
    return
  }
  const { kind, tag, record } = kindOf(value, section)
  const fields = new Fields(record)
  if (kind === 'graph') yield* readGraph(value, line)
  else if (kind === 'entity') yield* readEntity(fields, line)
  else if (kind === 'relation') yield readRelation(fields, line)
  else if (kind === 'marker') yield { kind: 'skipped', line, reason: `a file marker (${tag})` }
  else {
    const type = tag === undefined ? '' : ` (its type is ${quoted(tag)})`
    yield failure(line, `neither an entity nor a relation${type}`)
  }
}

const kinds: Record<string, 'entity' | 'relation' | undefined> = {
  entity: 'entity',
  // What add_observations takes: an entity's name and contents.
  observation: 'entity',
  relation: 'relation',
  relationship: 'relation',
}
const markers = ['_aim', 'header', 'meta', 'metadata']

function kindOf(record: JsonObject, section: Section) {
  const tagKey = '_type' in record ? '_type' : 'type'
  const { [tagKey]: tagValue, ...untagged } = record
  const tag = typeof tagValue === 'string' ? tagValue : undefined
  const tagged = kinds[tag?.toLowerCase() ?? '']
  if (tagged !== undefined) {
    // Some forks wrap the record: {"type":"entity","data":{…}}.
    const { data, ...beside } = untagged
    return { kind: tagged, tag, record: isObject(data) ? { ...beside, ...data } : untagged }
  }
  return { kind: untaggedKind(new Fields(record), tag, section), tag, record }
}

function untaggedKind(fields: Fields, tag: string | undefined, section: Section) {
  if (section === 'graph') return 'graph'
  if (section === 'relations') return 'relation'
  if (section === 'entities') return 'entity'
  if (fields.has('from', 'source') && fields.has('to', 'target')) return 'relation'
  const isNamed = fields.has(...nameFields)
  if (isNamed && fields.has('entitytype', ...observationFields)) return 'entity'
  if (isNamed) return undefined
  if (fields.has('entities', 'relations')) return 'graph'
  return tag !== undefined && markers.includes(tag) ? 'marker' : undefined
}

const nameFields = ['name', 'entityname']
const typeFields = ['entitytype', 'entitytypes', 'type', 'types']
const observationFields = ['observations', 'observation', 'contents']

function* readEntity(fields: Fields, line: number): Generator<MemoryItem> {
  const name = toName(fields.take(...nameFields))
  if (name === undefined) {
    yield failure(line, 'an entity without a name')
    return
  }
  const types = toLines(fields.take(...typeFields))
  const relations = fields.take('relations', 'relationships')
  const observations = ['description', ...observationFields].flatMap(field =>
    toLines(fields.take(field)),
  )
  yield { kind: 'entity', line, name, types, observations: [...observations, ...fields.rest()] }
  for (const relation of ownRelations(relations)) {
    yield isObject(relation)
      ? readRelation(new Fields(relation), line, name)
      : failure(
          line,
          `a relation of ${quoted(name)} that is not an object: ${quoted(toText(relation))}`,
        )
  }
}

/** An entity's own relations: a list, or an object of targets by relation type. */
function ownRelations(relations: Json | undefined): Json[] {
  if (!isObject(relations)) return relations === undefined ? [] : [relations].flat()
  return Object.entries(relations).flatMap(([relationType, targets]) =>
    [targets]
      .flat()
      .map((to): Json => (isObject(to) ? { relationType, ...to } : { relationType, to })),
  )
}

/** With an `owner`, the entity that the relation stands in, one of its ends may be left out. */
function readRelation(fields: Fields, line: number, owner?: string): MemoryItem {
  const from = toName(fields.take('from', 'source', 'fromentity'))
  const to = toName(fields.take('to', 'target', 'toentity'))
  const relationType = toName(
    fields.take('relationtype', 'relation', 'relationshiptype', 'predicate', 'type'),
  )
  const start = from ?? owner
  const end = to ?? (from === undefined ? undefined : owner)
  if (start === undefined) return failure(line, 'a relation without "from"')
  if (end === undefined) return failure(line, `a relation of ${quoted(start)} without "to"`)
  if (relationType === undefined) {
    return failure(line, `a relation of ${quoted(start)} without a relationType`)
  }
  return { kind: 'relation', line, from: start, to: end, relationType, details: fields.rest() }
}

/** A whole graph in one object, or what is left of it when its lists have been read already. */
function* readGraph(graph: JsonObject, line: number): Generator<MemoryItem> {
  const { entities = [], relations = [], ...beside } = graph
  const listed = isObject(entities)
    ? Object.entries(entities).map(
        ([name, entity]): Json =>
          isObject(entity) ? { name, ...entity } : { name, observations: entity },
      )
    : [entities].flat()
  for (const entity of listed) yield* readRecord(entity, line, 'entities')
  for (const relation of [relations].flat()) yield* readRecord(relation, line, 'relations')
  const fields = Object.keys(beside)
  if (fields.length > 0) {
    yield { kind: 'skipped', line, reason: `about the file, not memory: ${fields.join(', ')}` }
  }
}

const failure = (line: number, reason: string): MemoryFailure => ({ kind: 'failed', line, reason })
