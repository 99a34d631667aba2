/** The bytes that give JSON its shape; all ASCII, so they never occur inside a UTF-8 sequence. */
export const quote = 0x22
export const backslash = 0x5c
export const openBrace = 0x7b
export const closeBrace = 0x7d
export const openBracket = 0x5b
export const closeBracket = 0x5d
export const colon = 0x3a
export const comma = 0x2c
export const newline = 0x0a
export const carriageReturn = 0x0d

export const isWhitespace = (byte: number) =>
  byte === 0x20 || byte === newline || byte === carriageReturn || byte === 0x09
