import { badInput } from './errors.ts'

// Controls, format characters (zero-width ones among them), lone surrogates and blanks that are no
// white space: what cannot be seen in a name could make two equal-looking names different.
const unseen = /\p{Cc}|\p{Cf}|\p{Cs}|\p{Default_Ignorable_Code_Point}|\u2800/u
// U+FEFF counts as white space in JavaScript, but nobody sees it.
const whiteSpace = /[^\S\ufeff]+/gu
// They choose how an emoji is drawn, and keyboards add them as they like.
const presentation = /[\ufe0e\ufe0f]/gu

/**
 * A name of a concept, kind, script or process in its one spelling: NFC, trimmed, inner whitespace
 * collapsed to one space, 1 to 500 characters (docs/api.md).
 * @throws BAD_USER_INPUT for an empty or overlong name and for one with invisible characters
 */
export function normalizeName(raw: string, field: string, maxLength = 500): string {
  const name = raw
    .normalize('NFC')
    .replace(presentation, '')
    .replace(whiteSpace, ' ')
    .replace(/^ | $/g, '')
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
