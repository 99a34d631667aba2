import { topic } from '../core/change.ts'
import type { Tx } from '../core/query.ts'
import { append } from '../events/append.ts'
import type { Concept, Link } from '../generated/prisma/client.ts'

// What was true then. Keys are text, since a number of JSON ends before a bigint does.

export interface ConceptThen {
  conceptId: string
  name: string
}

interface LinkThen {
  linkId: string
  fromId: string
  toId: string
  relationType: string
}

export type ConceptHappening = ConceptThen &
  (
    | { type: 'conceptCreated' | 'conceptUpdated' }
    /** With the concepts that were next to it, of many those of the lowest ids. */
    | { type: 'conceptDeleted'; neighborIds: string[] }
  )

export type LinkHappening = LinkThen &
  (
    | { type: 'linkCreated' | 'linkDeleted' }
    /** With the ends that it had before. */
    | { type: 'linkMoved'; oldFromId: string; oldToId: string }
  )

/** What happened in the graph. */
export type GraphPayload = ConceptHappening | LinkHappening

/** The changes of the graph, by the concept or the link: `concept 12`, `link 5`. Nobody counts them. */
export const graphTopic = topic<GraphPayload>('graph')

type Named = Pick<Concept, 'id' | 'name'>

const conceptThen = ({ id, name }: Named): ConceptThen => ({ conceptId: `${id}`, name })

export const conceptCreated = (concept: Named): GraphPayload => ({
  type: 'conceptCreated',
  ...conceptThen(concept),
})

export const conceptUpdated = (concept: Named): GraphPayload => ({
  type: 'conceptUpdated',
  ...conceptThen(concept),
})

export const conceptDeleted = (concept: Named, neighborIds: readonly bigint[]): GraphPayload => ({
  type: 'conceptDeleted',
  ...conceptThen(concept),
  neighborIds: neighborIds.map(String),
})

export const linkCreated = (link: Link): GraphPayload => ({
  type: 'linkCreated',
  linkId: `${link.id}`,
  fromId: `${link.fromConceptId}`,
  toId: `${link.toConceptId}`,
  relationType: link.relationType,
})

/**
 * Writes what happened, in an order in which it could have happened one by one: a link comes after
 * its concepts and goes before them. Lock first what has changed.
 */
export const appendToGraph = (tx: Tx, happenings: readonly GraphPayload[]): Promise<void> =>
  append(
    tx,
    graphTopic,
    happenings.map(payload => ({
      subject: 'linkId' in payload ? `link ${payload.linkId}` : `concept ${payload.conceptId}`,
      payload,
    })),
  )
