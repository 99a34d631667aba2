import type { Caller } from '../core/context.ts'
import { forbidden } from '../core/errors.ts'
import { canAdministrate } from './permissions.ts'

/** @throws FORBIDDEN with this message for whom is no administrator */
export function requireAdmin({ viewer }: Pick<Caller, 'viewer'>, message: string): void {
  if (!canAdministrate(viewer)) throw forbidden(message)
}
