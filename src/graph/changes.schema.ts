import { builder } from '../core/builder.ts'
import type { Change } from '../core/change.ts'
import { callerOf } from '../core/context.ts'
import { readIdOf, writeGlobalId } from '../core/ids.ts'
import { followGraph } from './changes.ts'
import { conceptById } from './concepts.ts'
import type { ConceptHappening, GraphPayload, LinkHappening } from './graph.events.ts'
import { linkById } from './links.ts'
import { limits } from './traversal.ts'

const typeNames: Record<GraphPayload['type'], string> = {
  conceptCreated: 'ConceptCreated',
  conceptUpdated: 'ConceptUpdated',
  conceptDeleted: 'ConceptDeleted',
  linkCreated: 'LinkCreated',
  linkMoved: 'LinkMoved',
  linkDeleted: 'LinkDeleted',
}

const GraphChange = builder.interfaceRef<Change<GraphPayload>>('GraphChange').implement({
  description: 'Something that happened in the graph. It says what was true then.',
  resolveType: change => typeNames[change.payload.type],
  fields: t => ({
    cursor: t.field({
      type: 'Cursor',
      description: 'The place right behind the change, to go on from: `after`.',
      resolve: change => change.cursor,
    }),
    at: t.field({
      type: 'DateTime',
      description: 'When it happened.',
      resolve: change => change.at,
    }),
  }),
})

const ConceptChange = builder.interfaceRef<Change<ConceptHappening>>('ConceptChange').implement({
  description: 'Something that happened to a concept.',
  interfaces: [GraphChange],
  resolveType: change => typeNames[change.payload.type],
  fields: t => ({
    conceptId: t.id({
      description: 'The global id of the concept.',
      resolve: ({ payload }) => writeGlobalId('Concept', payload.conceptId),
    }),
    name: t.string({
      description: 'Its name at that time.',
      resolve: ({ payload }) => payload.name,
    }),
  }),
})

const LinkChange = builder.interfaceRef<Change<LinkHappening>>('LinkChange').implement({
  description: 'Something that happened to a link.',
  interfaces: [GraphChange],
  resolveType: change => typeNames[change.payload.type],
  fields: t => ({
    linkId: t.id({
      description: 'The global id of the link.',
      resolve: ({ payload }) => writeGlobalId('Link', payload.linkId),
    }),
    fromId: t.id({
      description: 'The global id of the concept where it started at that time.',
      resolve: ({ payload }) => writeGlobalId('Concept', payload.fromId),
    }),
    toId: t.id({
      description: 'The global id of the concept where it led at that time.',
      resolve: ({ payload }) => writeGlobalId('Concept', payload.toId),
    }),
    relationType: t.string({
      description: 'The kind of link.',
      resolve: ({ payload }) => payload.relationType,
    }),
  }),
})

const conceptEvent = (name: string, description: string) =>
  builder.objectRef<Change<ConceptHappening>>(name).implement({
    description,
    interfaces: [GraphChange, ConceptChange],
  })

const linkEvent = (name: string, description: string) =>
  builder
    .objectRef<Change<LinkHappening>>(name)
    .implement({ description, interfaces: [GraphChange, LinkChange] })

const conceptEvents = [
  conceptEvent('ConceptCreated', 'A concept was created.'),
  conceptEvent('ConceptUpdated', 'A concept got another name or description.'),
]
for (const type of conceptEvents) {
  builder.objectField(type, 'concept', t =>
    t.field({
      type: 'Concept',
      nullable: true,
      description: 'The concept as it is now; null where it has gone since.',
      resolve: ({ payload }, _args, context) => conceptById(callerOf(context), payload.conceptId),
    }),
  )
}
conceptEvent('ConceptDeleted', 'A concept was deleted, or merged into another.')

const linkEvents = [
  linkEvent('LinkCreated', 'Two concepts were linked, or one with itself.'),
  linkEvent('LinkMoved', 'A merge gave a link other ends. They are the new ones.'),
]
for (const type of linkEvents) {
  builder.objectField(type, 'link', t =>
    t.field({
      type: 'Link',
      nullable: true,
      description: 'The link as it is now; null where it has gone since.',
      resolve: ({ payload }, _args, context) => linkById(callerOf(context), payload.linkId),
    }),
  )
}
linkEvent(
  'LinkDeleted',
  'A link was removed, by itself, with one of its concepts, or by a merge that made it the same as another.',
)

builder.subscriptionField('graphChanges', t =>
  t.field({
    type: GraphChange,
    description:
      'What happens in the graph, each change once, in an order in which it could have happened one by one. Around a concept: what happens to concepts within `depth` links of it, whichever way they point, and to links between two of them; what is there is looked for where it is by then, and what has gone where it was. A deleted concept takes its links with it, whether they are told of or not; what comes near by a new link is not told beyond that link. When the concept itself is deleted or merged away, its ConceptDeleted is the last change, though the stream stays open. NOT_FOUND where there is no such concept at the start.',
    args: {
      around: t.arg.id({
        description: 'The global id of a concept; left out, the whole graph is followed.',
      }),
      depth: t.arg.int({
        required: true,
        defaultValue: 1,
        description: `How many links far around it, 0 to ${limits.depth}.`,
      }),
      after: t.arg({
        type: 'Cursor',
        description: 'A cursor, to go on behind it; left out, the stream begins now.',
      }),
    },
    subscribe: (_root, { around, depth, after }, context) =>
      followGraph(context, {
        around: around == null ? null : readIdOf('Concept', around, 'around'),
        depth,
        after,
      }),
    resolve: change => change,
  }),
)
