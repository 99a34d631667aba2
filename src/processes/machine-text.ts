import { replaceUnstorable } from '../core/text.ts'

const maxLength = 100_000

/** Text that a machine reports and that has to be recorded: its start, and U+FFFD for what cannot be stored. */
export function machineText(text: string | null | undefined): {
  text: string | null
  replaced: boolean
} {
  if (text == null || text === '') return { text: null, replaced: false }
  const cut = text.length > maxLength ? `${text.slice(0, maxLength)}…` : text
  return replaceUnstorable(cut)
}
