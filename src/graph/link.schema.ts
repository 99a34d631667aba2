import { builder } from '../core/builder.ts'
import { pageArgs } from '../core/connection-args.ts'
import { type Caller, callerOf } from '../core/context.ts'
import { notFound } from '../core/errors.ts'
import { readIdOf } from '../core/ids.ts'
import { makeNode } from '../core/node.ts'
import type { Concept } from '../generated/prisma/client.ts'
import { llmById } from '../identity/llms.ts'
import { concepts } from './concepts.ts'
import { linkById, linkConcepts, linksOf, unlinkConcepts } from './links.ts'
import { relationTypesArg, typedPageComplexity } from './traversal.schema.ts'

const Link = builder.prismaObject('Link', {
  description: 'A directed link between two concepts.',
  fields: t => ({
    from: t.field({
      type: 'Concept',
      description: 'Where the link starts.',
      resolve: (link, _args, context) => endOf(callerOf(context), link.fromConceptId),
    }),
    to: t.field({
      type: 'Concept',
      description: 'Where the link leads.',
      resolve: (link, _args, context) => endOf(callerOf(context), link.toConceptId),
    }),
    relationType: t.exposeString('relationType', {
      description: 'The kind of link, such as is_a, related_to or part_of.',
    }),
    timestamp: t.expose('timestamp', { type: 'DateTime', description: 'When it was added.' }),
    llm: t.field({
      type: 'Llm',
      nullable: true,
      description: 'The LLM that added it; null where a person or an import did.',
      resolve: ({ llmId }, _args, context) => (llmId ? llmById(callerOf(context), llmId) : null),
    }),
  }),
})
makeNode<'Link'>(Link, { id: link => link.id, load: linkById })

async function endOf(caller: Caller, id: bigint): Promise<Concept> {
  const concept = await concepts(caller).load(id)
  // Whoever answers a link has read its concepts, so that they cannot be deleted in between.
  if (!concept) throw notFound('concept')
  return concept
}

const LinkConnection = builder.connectionObject({
  type: 'Link',
  name: 'LinkConnection',
  description: 'A page of links.',
  fields: t => ({
    changesCursor: t.field({
      type: 'Cursor',
      description:
        'Where graphChanges goes on from what was read here, for its `after`. It loses nothing; what came right before can be told again.',
      resolve: (_connection, _args, context) => context.since,
    }),
  }),
})

builder.prismaObjectFields('Concept', t => ({
  outgoing: t.field({
    type: LinkConnection,
    description: 'The links that start here, by the age of the concept they lead to.',
    args: { ...pageArgs, relationTypes: t.arg.stringList({ description: relationTypesArg }) },
    complexity: typedPageComplexity,
    resolve: (concept, args, context) => linksOf(callerOf(context), concept, 'outgoing', args),
  }),
  incoming: t.field({
    type: LinkConnection,
    description: 'The links that lead here, by the age of the concept they start from.',
    args: { ...pageArgs, relationTypes: t.arg.stringList({ description: relationTypesArg }) },
    complexity: typedPageComplexity,
    resolve: (concept, args, context) => linksOf(callerOf(context), concept, 'incoming', args),
  }),
}))

const LinkInput = builder.inputType('LinkInput', {
  description: 'A link to make.',
  fields: t => ({
    from: t.id({ required: true, description: 'The global id of the concept where it starts.' }),
    to: t.id({ required: true, description: 'The global id of the concept where it leads.' }),
    relationType: t.string({ required: true, description: 'Its kind, 1 to 500 characters.' }),
  }),
})

builder.mutationFields(t => ({
  linkConcepts: t.field({
    type: ['Link'],
    description:
      'Links concepts, all or none, at most 1,000. A link that exists already is answered as it is. NOT_FOUND names the item whose concept is missing.',
    args: { links: t.arg({ type: [LinkInput], required: true, description: 'The links.' }) },
    complexity: ({ links }) => ({ multiplier: links.length }),
    resolve: (_root, { links }, context) =>
      linkConcepts(
        callerOf(context),
        links.map(({ from, to, relationType }, index) => ({
          from: readIdOf('Concept', from, `links.${index}.from`),
          to: readIdOf('Concept', to, `links.${index}.to`),
          relationType,
        })),
      ),
  }),
  unlinkConcepts: t.idList({
    description: 'Removes links, all or none, at most 1,000, and answers their global ids.',
    args: { ids: t.arg.idList({ required: true, description: 'Global ids of links.' }) },
    complexity: ({ ids }) => ({ multiplier: ids.length }),
    async resolve(_root, { ids }, context) {
      const keys = ids.map((id, index) => readIdOf('Link', id, `ids.${index}`))
      await unlinkConcepts(callerOf(context), keys)
      return ids
    },
  }),
}))
