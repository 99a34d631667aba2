import { builder } from '../core/builder.ts'
import { callerOf } from '../core/context.ts'
import type { FieldCost } from '../core/field-cost.ts'
import { type GraphUpsert as GraphUpsertResult, upsertGraph } from './upsert.ts'

const ConceptUpsert = builder.inputType('ConceptUpsert', {
  description: 'A concept to create, or to bring up to date by its name.',
  fields: t => ({
    name: t.string({ required: true, description: 'The name, 1 to 500 characters.' }),
    description: t.string({ description: 'What it is; left out or null, an existing one stays.' }),
  }),
})

const LinkByName = builder.inputType('LinkByName', {
  description: 'A link between concepts named by name: of the same call, or in the database.',
  fields: t => ({
    from: t.string({ required: true, description: 'The name of the concept where it starts.' }),
    to: t.string({ required: true, description: 'The name of the concept where it leads.' }),
    relationType: t.string({ required: true, description: 'Its kind, 1 to 500 characters.' }),
  }),
})

const GraphUpsert = builder.objectRef<GraphUpsertResult>('GraphUpsert').implement({
  description: 'What an upsert wrote and what was there already.',
  fields: t => ({
    concepts: t.field({
      type: ['Concept'],
      description: 'The concepts, in the order given.',
      resolve: result => result.concepts,
    }),
    links: t.field({
      type: ['Link'],
      description: 'The links, in the order given.',
      resolve: result => result.links,
    }),
    conceptsCreated: t.exposeInt('conceptsCreated', { description: 'How many concepts are new.' }),
    conceptsUpdated: t.exposeInt('conceptsUpdated', {
      description: 'How many concepts got another description.',
    }),
    linksCreated: t.exposeInt('linksCreated', { description: 'How many links are new.' }),
  }),
})

builder.mutationField('upsertGraph', t =>
  t.field({
    type: GraphUpsert,
    description:
      'Writes concepts and links by name in one transaction, all or none: at most 5,000 concepts and 20,000 links, within the size of a request (MAX_BODY_BYTES). The same call again changes nothing.',
    args: {
      concepts: t.arg({ type: [ConceptUpsert], required: true, description: 'The concepts.' }),
      links: t.arg({ type: [LinkByName], required: true, description: 'The links.' }),
    },
    complexity: ({ concepts, links }): FieldCost => ({
      items: { concepts: concepts.length, links: links.length },
    }),
    resolve: (_root, args, context) => upsertGraph(callerOf(context), args),
  }),
)
