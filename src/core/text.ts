import { badInput } from './errors.ts'

/** Whether PostgreSQL can keep the text as it is; the driver would alter it in silence. */
export const isStorable = (text: string) => text.isWellFormed() && !text.includes('\u0000')

/** Keys for one statement: one that PostgreSQL cannot read names nothing, and must not fail the others. */
export const keysOf = (keys: readonly unknown[]) =>
  keys.map(key => (typeof key === 'string' && !isStorable(key) ? null : key))

/**
 * Text that a person or an agent wrote, kept to the letter.
 * @throws BAD_USER_INPUT for U+0000 and lone surrogates, which PostgreSQL cannot keep, and for text
 * beyond `maxLength` characters
 */
export function checkText(text: string, field: string, maxLength: number): string {
  if (text.includes('\u0000')) throw badInput('Text cannot contain the character U+0000.', field)
  if (!text.isWellFormed()) throw badInput('Text cannot contain a lone surrogate.', field)
  if (text.length > maxLength) {
    throw badInput(`Text cannot be longer than ${maxLength} characters.`, field)
  }
  return text
}

/** Text of a machine, which must be recorded whatever it holds: U+FFFD stands for what PostgreSQL cannot keep. */
export function replaceUnstorable(text: string): { text: string; replaced: boolean } {
  if (isStorable(text)) return { text, replaced: false }
  return { text: text.toWellFormed().replaceAll('\u0000', '\uFFFD'), replaced: true }
}
