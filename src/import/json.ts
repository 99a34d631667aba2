import type { Json } from '../core/json.ts'

const jsonNumber = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/
const numberCharacter = /[\d.eE+-]/

/**
 * `JSON.parse`, but for the numbers that a double would change or spell differently (beyond 2^53,
 * 1e400, 1.10, -0): these become strings, so that they are kept as they were written.
 */
export function parseJson(text: string): Json {
  return JSON.parse(withExactNumbers(text)) as Json
}

function withExactNumbers(text: string): string {
  let out = ''
  let copied = 0
  for (let at = 0; at < text.length; ) {
    const character = text.charAt(at)
    if (character === '"') {
      at = endOfString(text, at)
    } else if (character === '-' || (character >= '0' && character <= '9')) {
      let end = at + 1
      while (numberCharacter.test(text.charAt(end))) end++
      const literal = text.slice(at, end)
      if (String(Number(literal)) !== literal && jsonNumber.test(literal)) {
        out += `${text.slice(copied, at)}"${literal}"`
        copied = end
      }
      at = end
    } else {
      at++
    }
  }
  return copied === 0 ? text : out + text.slice(copied)
}

function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1)
  while (end !== -1 && isEscaped(text, end)) end = text.indexOf('"', end + 1)
  return end === -1 ? text.length : end + 1
}

function isEscaped(text: string, at: number): boolean {
  let backslashes = 0
  while (text.charAt(at - 1 - backslashes) === '\\') backslashes++
  return backslashes % 2 === 1
}
