import { builder } from '../core/builder.ts'
import { pageArgs, pageComplexity } from '../core/connection-args.ts'
import { callerOf } from '../core/context.ts'
import type { FieldCost } from '../core/field-cost.ts'
import { readIdOf } from '../core/ids.ts'
import type { PageArgs } from '../core/paging.ts'
import type { Concept } from '../generated/prisma/client.ts'
import { ConceptConnection } from './concept.schema.ts'
import { maxLinksAmong, type Neighborhood } from './neighborhood.sql.ts'
import type { Path as PathRow } from './path.sql.ts'
import { maxRelationTypes } from './relation-types.ts'
import {
  degreeOf,
  limits,
  linksOfType,
  listRelationTypes,
  neighborsOf,
  readNeighborhood,
  readPath,
} from './traversal.ts'

const Direction = builder.enumType('Direction', {
  description: 'Which way links are followed.',
  values: {
    OUT: { description: 'From where they start to where they lead.' },
    IN: { description: 'From where they lead to where they start.' },
    BOTH: { description: 'Either way.' },
  } as const,
})

export const relationTypesArg = `Only links of these types, at most ${maxRelationTypes}; left out, of every type.`

type RelationTypesArg = { relationTypes?: readonly string[] | null | undefined }

/** Of what is beyond a limit, the resolver says more than the complexity could. */
const countOf = ({ relationTypes }: RelationTypesArg) =>
  Math.min(relationTypes?.length ?? 0, maxRelationTypes)

/** A page of links is read by one scan for each type. */
export const typedPageComplexity = (args: PageArgs & RelationTypesArg): FieldCost => ({
  ...pageComplexity(args),
  field: 1 + countOf(args) / 10,
})

const directionArg = {
  type: Direction,
  required: true,
  defaultValue: 'BOTH',
  description: 'Which way links are followed.',
} as const

builder.prismaObjectFields('Concept', t => ({
  neighbors: t.field({
    type: ConceptConnection,
    description: 'The other concepts one link away, each once, the oldest first.',
    args: {
      ...pageArgs,
      direction: t.arg(directionArg),
      relationTypes: t.arg.stringList({ description: relationTypesArg }),
    },
    complexity: typedPageComplexity,
    resolve: (concept, args, context) => neighborsOf(callerOf(context), concept.id, args),
  }),
  degree: t.int({
    description: 'How many links it has; a link to itself counts once each way.',
    args: { direction: t.arg(directionArg) },
    complexity: 5,
    resolve: (concept, { direction }, context) =>
      degreeOf(callerOf(context), concept.id, direction),
  }),
}))

const RelationType = builder.objectRef<string>('RelationType').implement({
  description: 'A kind of link that is in use.',
  fields: t => ({
    name: t.string({ description: 'The relation type of the links.', resolve: name => name }),
    links: t.int({
      description: 'How many links are of it.',
      complexity: 10,
      resolve: (name, _args, context) => linksOfType(callerOf(context), name),
    }),
  }),
})

const ConceptAtDistance = builder
  .objectRef<Concept & { distance: number }>('ConceptAtDistance')
  .implement({
    description: 'A concept of a neighbourhood.',
    fields: t => ({
      concept: t.field({ type: 'Concept', description: 'The concept.', resolve: found => found }),
      distance: t.exposeInt('distance', {
        description: 'The least number of links between it and the start; 0 is the start itself.',
      }),
    }),
  })

const Subgraph = builder.objectRef<Neighborhood>('Subgraph').implement({
  description: 'Concepts around a start, and the links among them.',
  fields: t => ({
    concepts: t.field({
      type: [ConceptAtDistance],
      description: 'Each once, the nearest first.',
      resolve: found => found.concepts,
    }),
    links: t.field({
      type: ['Link'],
      description:
        'All links of the relation types between two of the concepts, the oldest: at most 50 for each of maxNodes, and 10,000.',
      resolve: found => found.links,
    }),
    truncated: t.boolean({
      description: 'Whether a concept within the depth, or a link between two, was left out.',
      resolve: found => found.truncated || found.linksTruncated,
    }),
    cursor: t.field({
      type: 'Cursor',
      description:
        'Where graphChanges goes on from what was read here, for its `after`. It loses nothing; what came right before can be told again.',
      resolve: (_found, _args, context) => context.since,
    }),
  }),
})

const Path = builder.objectRef<PathRow>('Path').implement({
  description: 'A shortest way from one concept to another.',
  fields: t => ({
    length: t.int({ description: 'The number of its links.', resolve: path => path.links.length }),
    concepts: t.field({
      type: ['Concept'],
      description: 'From the first concept to the last.',
      resolve: path => path.concepts,
    }),
    links: t.field({
      type: ['Link'],
      description: 'The link between each concept and the next.',
      resolve: path => path.links,
    }),
  }),
})

/** Each concept found is asked for its links of each type. Only in dense graphs are they many. */
function neighborhoodCost(args: { maxNodes: number } & RelationTypesArg): FieldCost {
  const maxNodes = Math.min(Math.max(args.maxNodes, 1), limits.maxNodes)
  return {
    field: 1_000 + maxNodes * (4 + countOf(args) / 25),
    items: { concepts: maxNodes, links: maxLinksAmong(maxNodes) / 4 },
  }
}

function pathCost(args: { maxDepth: number }): FieldCost {
  const maxDepth = Math.min(Math.max(args.maxDepth, 0), limits.maxDepth)
  // A search may read a million links: five of them fit into one operation.
  return { field: 5_000, items: { concepts: maxDepth + 1, links: maxDepth } }
}

builder.queryFields(t => ({
  neighborhood: t.field({
    type: Subgraph,
    description:
      'The concepts within some links of one, at their shortest distances. NOT_FOUND where there is no such concept.',
    args: {
      conceptId: t.arg.id({ required: true, description: 'The global id of the start.' }),
      depth: t.arg.int({
        required: true,
        defaultValue: 1,
        description: 'How many links far, 0 to 6.',
      }),
      direction: t.arg(directionArg),
      relationTypes: t.arg.stringList({ description: relationTypesArg }),
      maxNodes: t.arg.int({
        required: true,
        defaultValue: 200,
        description:
          'How many concepts at most, the start included, 1 to 1,000; the nearest are kept, of those as near the oldest.',
      }),
    },
    complexity: neighborhoodCost,
    resolve: (_root, args, context) =>
      readNeighborhood(callerOf(context), {
        ...args,
        conceptId: readIdOf('Concept', args.conceptId, 'conceptId'),
      }),
  }),
  path: t.field({
    type: Path,
    nullable: true,
    description:
      'A shortest path between two concepts, or null where there is none. LIMIT_EXCEEDED when the search grew too large.',
    args: {
      from: t.arg.id({ required: true, description: 'The global id of the first concept.' }),
      to: t.arg.id({ required: true, description: 'The global id of the last concept.' }),
      direction: t.arg({ ...directionArg, defaultValue: 'OUT' }),
      relationTypes: t.arg.stringList({ description: relationTypesArg }),
      maxDepth: t.arg.int({
        required: true,
        defaultValue: 8,
        description: 'How many links long, 0 to 12.',
      }),
    },
    complexity: pathCost,
    resolve: (_root, args, context) =>
      readPath(callerOf(context), {
        ...args,
        from: readIdOf('Concept', args.from, 'from'),
        to: readIdOf('Concept', args.to, 'to'),
      }),
  }),
  relationTypes: t.field({
    type: [RelationType],
    description: 'The relation types in use, by name.',
    complexity: { multiplier: 100 },
    resolve: (_root, _args, context) => listRelationTypes(callerOf(context)),
  }),
}))
