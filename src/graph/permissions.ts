import type { Viewer } from '../core/context.ts'

// The row "concepts, links" of the permission table in DESIGN, section 3.

export const canReadGraph = (viewer: Viewer) => viewer.kind !== 'WORKER'

export const canWriteGraph = (viewer: Viewer) => viewer.kind !== 'WORKER'
