const shown = 60

/** Text of a file or an error on one line, harmless to a terminal. */
export const printable = (text: string) =>
  text.replace(/[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]+/gu, '\ufffd')

/** The beginning of a text, in quotes. */
export function quoted(text: string): string {
  // In whole characters: half a surrogate pair is no text.
  const start = [...text.slice(0, 2 * shown)].slice(0, shown).join('')
  return `"${printable(start)}${start.length < text.length ? '…' : ''}"`
}
