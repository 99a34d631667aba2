import type { Viewer } from '../core/context.ts'
import { raw, type Sql } from '../core/sql.ts'
import { canReadGraph } from './permissions.ts'

// Columns under the names of the Prisma models, so that a row is one whichever way it was read.

export const conceptColumns = raw('c.id, c.name, c.description, c.timestamp, c.llm_id as "llmId"')

export const linkColumns = raw(
  'l.id, l.from_concept_id as "fromConceptId", l.to_concept_id as "toConceptId", l.relation_type as "relationType", l.timestamp, l.llm_id as "llmId"',
)

/** Concepts and links that the viewer may see: all of them, or none. */
export const visibleGraph = (viewer: Viewer): Sql => raw(canReadGraph(viewer) ? 'true' : 'false')
