import type { Caller } from '../core/context.ts'
import { forbidden } from '../core/errors.ts'
import { canWriteGraph } from './permissions.ts'

/** @throws FORBIDDEN */
export function requireGraphWriter({ viewer }: Pick<Caller, 'viewer'>): void {
  if (!canWriteGraph(viewer)) throw forbidden('A worker does not change the concept graph.')
}
