import { badInput } from './errors.ts'

const maxLength = 500
// Controls, format characters (zero-width ones among them), lone surrogates and fillers: what cannot
// be seen in a name could make two equal-looking names different.
const unseen =
  /\p{Cc}|\p{Cf}|\p{Cs}|\u2028|\u2029|\u034f|\u115f|\u1160|\u17b4|\u17b5|\u3164|\uffa0/u

/**
 * A name of a concept, kind, script or process in its one spelling: NFC, trimmed, inner whitespace
 * collapsed to one space, 1 to 500 characters (DESIGN, section 4).
 * @throws BAD_USER_INPUT for an empty or overlong name and for one with invisible characters
 */
export function normalizeName(raw: string, field: string): string {
  const name = raw.normalize('NFC').replace(/\s+/gu, ' ').trim()
  if (name === '') throw badInput('A name cannot be empty.', field)
  if (unseen.test(name)) {
    throw badInput(
      'A name cannot contain control, zero-width or other invisible characters.',
      field,
    )
  }
  if ([...name].length > maxLength) {
    throw badInput(`A name cannot be longer than ${maxLength} characters.`, field)
  }
  return name
}
