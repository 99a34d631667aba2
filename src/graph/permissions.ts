import type { Viewer } from '../core/context.ts'

// The row "concepts, links" of the table in docs/api.md.

export const canReadGraph = (viewer: Viewer) => viewer.kind !== 'WORKER'

export const canWriteGraph = (viewer: Viewer) => viewer.kind !== 'WORKER'
