import type { Viewer } from '../core/context.ts'

// The rows "processes" to "chats" of the table in docs/api.md.

/** Which processes somebody can see. Others see those that take runs, and those of their own runs. */
export const canSeeAllProcesses = (viewer: Viewer) =>
  viewer.kind === 'ADMIN' || viewer.kind === 'WORKER'

export const canDefineProcesses = (viewer: Viewer) => viewer.kind === 'ADMIN'

/** Which runs somebody can see, with what hangs on them. */
export function visibleRunsOf(viewer: Viewer): 'all' | 'requested' | 'claimable' {
  if (viewer.kind === 'ADMIN') return 'all'
  return viewer.kind === 'WORKER' ? 'claimable' : 'requested'
}

/** A worker carries out what others ask for. */
export const canRequestRuns = (viewer: Viewer) => viewer.kind !== 'WORKER'

export const canWork = (viewer: Viewer) => viewer.kind === 'WORKER' || viewer.kind === 'ADMIN'

/** A chat is its owner's; workers have none. */
export const canChat = (viewer: Viewer) => viewer.kind !== 'WORKER'
