import { randomUUID } from 'node:crypto'
import { type Json, nestsDeeper } from './json.ts'

/*
 * JSON in text says numbers that a double cannot hold. JSON.parse brings them to the nearest double
 * without a word; here they are found first.
 */

/** The first number in a JSON text that JavaScript would answer as another one. */
export function unheldNumber(jsonText: string): string | undefined {
  for (const { token } of unheldNumbers(jsonText)) return token
  return undefined
}

/** What is wrong with such a number, as the end of a sentence. */
export const notHeld = (token: string) =>
  `cannot hold the number ${shorten(token)} exactly. Send it as a string.`

const shorten = (token: string) => (token.length > 100 ? `${token.slice(0, 100)}…` : token)

/**
 * Parses, with a number that a double cannot hold as a string of its digits.
 * @throws SyntaxError
 */
export const heldJson = (jsonText: string): Json =>
  JSON.parse(replaceUnheld(jsonText, token => `"${token}"`))

/**
 * Parses, changes and writes again, with every number to the letter. `change` meets one that a
 * double cannot hold as a string, and may move or drop it but not look into it.
 * @throws SyntaxError
 */
export function rewriteJson(jsonText: string, change: (value: Json) => Json): string {
  const mark = randomUUID()
  const value = JSON.parse(replaceUnheld(jsonText, token => `"${mark}${token}"`))
  return JSON.stringify(change(value)).replaceAll(new RegExp(`"${mark}([^"]*)"`, 'g'), '$1')
}

// PostgreSQL stores longer numbers, but not all, and writes 1e400 out with all its zeros, so that a
// short text can have a huge answer.
const maxNumberLength = 10_000
const maxZeros = 1 << 20
// Far more than any program writes, and far less than the stacks of PostgreSQL and of JSON.stringify hold.
const maxNesting = 500

/**
 * Whether a text is JSON that PostgreSQL can store and answer. It keeps every number there is in it,
 * but for the sign of a negative zero. Strings are another matter: `replaceUnstorableJson`.
 */
export function isJsonText(text: string): boolean {
  try {
    return !nestsDeeper(JSON.parse(text), maxNesting) && hasNumbersOfBoundedLength(text)
  } catch {
    return false
  }
}

function hasNumbersOfBoundedLength(jsonText: string): boolean {
  if (isPlain(jsonText)) return true
  let zeros = 0
  for (const { token } of numbersIn(jsonText)) {
    const exponent = Math.abs(Number(token.split(/[eE]/)[1] ?? 0))
    zeros += exponent
    if (token.length + exponent > maxNumberLength || zeros > maxZeros) return false
  }
  return true
}

function replaceUnheld(jsonText: string, replace: (token: string) => string): string {
  let result = ''
  let end = 0
  for (const { token, index } of unheldNumbers(jsonText)) {
    result += jsonText.slice(end, index) + replace(token)
    end = index + token.length
  }
  return result + jsonText.slice(end)
}

// Doubles hold what has up to 15 digits and an exponent of up to two; most texts have nothing else.
const isPlain = (jsonText: string) => !/[\d.]{16}|\d[eE][+-]?\d{3}|(?:^|[[:,\s])-0/.test(jsonText)

function* unheldNumbers(jsonText: string): Generator<NumberInText> {
  if (isPlain(jsonText)) return
  for (const number of numbersIn(jsonText)) if (!isHeld(number.token)) yield number
}

interface NumberInText {
  readonly token: string
  readonly index: number
}

function* numbersIn(jsonText: string): Generator<NumberInText> {
  const next = /"|-?\d[\d.eE+-]*/g
  for (let match = next.exec(jsonText); match; match = next.exec(jsonText)) {
    const [token] = match
    if (token === '"') next.lastIndex = endOfString(jsonText, next.lastIndex)
    else yield { token, index: match.index }
  }
}

/** Right behind the quote that closes the string which begins at `start`. */
function endOfString(text: string, start: number): number {
  for (let quote = text.indexOf('"', start); quote >= 0; quote = text.indexOf('"', quote + 1)) {
    let before = quote
    while (text[before - 1] === '\\') before--
    if ((quote - before) % 2 === 0) return quote + 1
  }
  return text.length
}

function isHeld(token: string): boolean {
  if (isPlain(token)) return true
  const value = Number(token)
  const shortest = String(value)
  if (shortest === token) return true
  const exact = readDecimal(token)
  if (exact.digits === '') return !token.startsWith('-')
  if (value === 0 || !Number.isFinite(value)) return false
  const held = readDecimal(shortest)
  return held.digits === exact.digits && held.exponent === exact.exponent
}

/** 0.digits × 10^exponent, without zeros on either side of the digits; the sign is left out. */
function readDecimal(token: string): { digits: string; exponent: number } {
  const [mantissa = '', exponent = '0'] = token.replace(/^-/, '').split(/[eE]/)
  const [whole = '', fraction = ''] = mantissa.split('.')
  const written = whole + fraction
  const significant = written.replace(/^0+/, '')
  const leadingZeros = written.length - significant.length
  return {
    digits: withoutEndingZeros(significant),
    exponent: whole.length - leadingZeros + Number(exponent),
  }
}

/** Not /0+$/, which looks at each run of zeros from each of its zeros. */
function withoutEndingZeros(digits: string): string {
  let end = digits.length
  while (digits[end - 1] === '0') end--
  return digits.slice(0, end)
}
