import { builder } from '../core/builder.ts'
import { pageArgs, pageComplexity } from '../core/connection-args.ts'
import { callerOf } from '../core/context.ts'
import { badInput } from '../core/errors.ts'
import type { FieldCost } from '../core/field-cost.ts'
import { readIdOf } from '../core/ids.ts'
import { makeNode } from '../core/node.ts'
import { OrderDirection } from '../core/order.ts'
import { llmById } from '../identity/llms.ts'
import {
  conceptById,
  conceptByName,
  createConcept,
  deleteConcept,
  listConcepts,
  updateConcept,
} from './concepts.ts'
import { mergeConcepts } from './merge.ts'

const Concept = builder.prismaObject('Concept', {
  description: 'A notion, entity or idea.',
  fields: t => ({
    name: t.exposeString('name', { description: 'The unique name, 1 to 500 characters.' }),
    description: t.exposeString('description', { nullable: true, description: 'What it is.' }),
    timestamp: t.expose('timestamp', { type: 'DateTime', description: 'When it was created.' }),
    llm: t.field({
      type: 'Llm',
      nullable: true,
      description: 'The LLM that added it; null where a person or an import did.',
      resolve: ({ llmId }, _args, context) => (llmId ? llmById(callerOf(context), llmId) : null),
    }),
  }),
})
makeNode<'Concept'>(Concept, { id: concept => concept.id, load: conceptById })

export const ConceptConnection = builder.connectionObject({
  type: 'Concept',
  name: 'ConceptConnection',
  description: 'A page of concepts.',
  fields: t => ({
    changesCursor: t.field({
      type: 'Cursor',
      description:
        'Where graphChanges goes on from what was read here, for its `after`. It loses nothing; what came right before can be told again.',
      resolve: (_connection, _args, context) => context.since,
    }),
  }),
})

const ConceptSort = builder.enumType('ConceptSort', {
  description: 'What concepts are ordered by.',
  values: {
    NAME: { value: 'name', description: 'The name.' },
    TIMESTAMP: { value: 'timestamp', description: 'The time of creation.' },
  } as const,
})

const ConceptOrder = builder.inputType('ConceptOrder', {
  description: 'An order of concepts.',
  fields: t => ({
    field: t.field({ type: ConceptSort, required: true, description: 'What to order by.' }),
    direction: t.field({
      type: OrderDirection,
      required: true,
      defaultValue: 'asc',
      description: 'Which way the list runs.',
    }),
  }),
})

builder.queryFields(t => ({
  concept: t.field({
    type: 'Concept',
    nullable: true,
    description: 'One concept by its id or its name, or null.',
    args: {
      id: t.arg.id({ description: 'The global id.' }),
      name: t.arg.string({ description: 'The name, in any spelling that stands for it.' }),
    },
    resolve(_root, { id, name }, context) {
      if ((id == null) === (name == null)) throw badInput('Give one of id and name.', 'id')
      const caller = callerOf(context)
      return id == null
        ? conceptByName(caller, name ?? '')
        : conceptById(caller, readIdOf('Concept', id))
    },
  }),
  concepts: t.field({
    type: ConceptConnection,
    description: 'Concepts: found by a search the best first, else the newest first.',
    args: {
      ...pageArgs,
      search: t.arg.string({
        description:
          'Words, "phrases", or, -without: stems of Russian, English and Spanish, with or without accents; where nothing else is found, names that look alike. Wildcards stand for themselves. 200 characters and 16 words are looked at, and totalCount ends at 10,000.',
      }),
      orderBy: t.arg({ type: ConceptOrder, description: 'Another order than the usual one.' }),
    },
    // A search reads every row that it may match, and to count what it finds is another search.
    complexity: ({ search, ...page }): FieldCost => {
      const { items } = pageComplexity(page)
      return search?.trim()
        ? { field: 3_000, items: { ...items, totalCount: 300 } }
        : { items: { ...items, totalCount: 10 } }
    },
    resolve: (_root, { orderBy, ...args }, context) =>
      listConcepts(callerOf(context), {
        ...args,
        orderBy: orderBy && { field: orderBy.field, descending: orderBy.direction === 'desc' },
      }),
  }),
}))

const CreateConceptInput = builder.inputType('CreateConceptInput', {
  description: 'A new concept.',
  fields: t => ({
    name: t.string({
      required: true,
      description: 'Unique; 1 to 500 characters, brought into NFC with single spaces.',
    }),
    description: t.string({ description: 'What it is, at most 2,500,000 characters.' }),
  }),
})

const UpdateConceptInput = builder.inputType('UpdateConceptInput', {
  description: 'What to change of a concept; what is left out stays as it is.',
  fields: t => ({
    name: t.string({ description: 'The new name.' }),
    description: t.string({ description: 'The new description; null removes it.' }),
  }),
})

const conceptId = (id: string, field = 'id') => readIdOf('Concept', id, field)

builder.mutationFields(t => ({
  createConcept: t.field({
    type: 'Concept',
    description: 'Creates a concept. CONFLICT where the name is taken.',
    args: {
      input: t.arg({ type: CreateConceptInput, required: true, description: 'The concept.' }),
    },
    resolve: (_root, { input }, context) => createConcept(callerOf(context), input),
  }),
  updateConcept: t.field({
    type: 'Concept',
    description: 'Changes a concept. CONFLICT where the name is taken.',
    args: {
      id: t.arg.id({ required: true, description: 'The global id.' }),
      input: t.arg({ type: UpdateConceptInput, required: true, description: 'The changes.' }),
    },
    resolve: (_root, { id, input }, context) =>
      updateConcept(callerOf(context), conceptId(id), input),
  }),
  deleteConcept: t.id({
    description: 'Deletes a concept with its links and answers its global id.',
    args: { id: t.arg.id({ required: true, description: 'The global id.' }) },
    async resolve(_root, { id }, context) {
      await deleteConcept(callerOf(context), conceptId(id))
      return id
    },
  }),
  mergeConcepts: t.field({
    type: 'Concept',
    description:
      'Makes one concept of several: links move to it (of those that become the same the oldest stays, and a link between two merged concepts becomes a self-link), descriptions are put together line by line, and the others are deleted.',
    args: {
      into: t.arg.id({ required: true, description: 'The global id of the concept that stays.' }),
      from: t.arg.idList({
        required: true,
        description: 'Global ids of those that go, at most 100.',
      }),
    },
    complexity: 1_000,
    resolve: (_root, { into, from }, context) =>
      mergeConcepts(callerOf(context), {
        into: conceptId(into, 'into'),
        from: from.map((id, index) => conceptId(id, `from.${index}`)),
      }),
  }),
}))
