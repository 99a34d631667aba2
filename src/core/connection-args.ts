import { builder } from './builder.ts'
import type { FieldCost } from './field-cost.ts'
import { defaultPageSize, maxPageSize, type PageArgs } from './paging.ts'

/** The arguments of every connection. */
export const pageArgs = builder.args(t => ({
  first: t.int({
    description: `How many from the start of the list, or after \`after\`: 0 to ${maxPageSize}, ${defaultPageSize} without it.`,
  }),
  after: t.string({ description: 'A cursor of this list; the page begins behind it.' }),
  last: t.int({
    description: `How many from the end of the list, or before \`before\`: 0 to ${maxPageSize}. Not together with \`first\`.`,
  }),
  before: t.string({ description: 'A cursor of this list; the page ends before it.' }),
}))

/** What a connection costs: what is in its rows as often as the page has rows, and the rest once. */
export const pageComplexity = ({ first, last }: PageArgs): FieldCost => ({
  items: { edges: Math.min(Math.max(first ?? last ?? defaultPageSize, 0), maxPageSize) },
})
