import { limitExceeded } from '../core/errors.ts'
import { normalizeName } from '../core/names.ts'

export const maxRelationTypes = 100

/** A list that is a variable's value is one object for every concept that the field is asked of. */
const known = new WeakMap<readonly string[], readonly string[]>()

/**
 * Relation types as they are stored, each once; null asks for every type.
 * @throws LIMIT_EXCEEDED, and BAD_USER_INPUT with the item as `relationTypes.1`
 */
export function readRelationTypes(
  types: readonly string[] | null | undefined,
): readonly string[] | null {
  if (types == null) return null
  const before = known.get(types)
  if (before) return before
  if (types.length > maxRelationTypes) {
    throw limitExceeded(`At most ${maxRelationTypes} relation types can be given.`, 'relationTypes')
  }
  const names = types.map((type, index) => normalizeName(type, `relationTypes.${index}`))
  const read = [...new Set(names)]
  known.set(types, read)
  return read
}
