import { replaceUnstorable } from '../core/text.ts'

const maxLength = 100_000

/** Text that a machine reports and that has to be recorded: its start, and U+FFFD for what cannot be stored. */
export function machineText(text: string | null | undefined): {
  text: string | null
  replaced: boolean
} {
  if (text == null || text === '') return { text: null, replaced: false }
  const { text: storable, replaced } = replaceUnstorable(text)
  return { text: cutText(storable), replaced }
}

/** The start of a text, which says that it is one. */
export function cutText(text: string): string {
  if (text.length <= maxLength) return text
  const start = text.slice(0, maxLength)
  // Half of a character is none.
  return `${start.isWellFormed() ? start : start.slice(0, -1)}…`
}
