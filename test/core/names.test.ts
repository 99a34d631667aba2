import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { normalizeName } from '../../src/core/names.ts'

const name = (text: string) => normalizeName(text, 'name')

describe('a name', () => {
  it.each([
    ['Agent', 'Agent'],
    [' Agent ', 'Agent'],
    ['Agent\u00a0', 'Agent'],
    ['big\t \u2003cake', 'big cake'],
    ['cafe\u0301', 'café'],
    ['Агент', 'Агент'],
    ['👍', '👍'],
    ['❤️', '❤'],
  ])('%j is kept as %j', (given, kept) => {
    expect(name(given)).toBe(kept)
  })

  it.each([
    '',
    ' ',
    '\u00a0',
    'Agent\u200b',
    'a\u0000b',
    'a\u202eb',
    '\ud800',
    'a\u00adb',
    'a\u3164',
    'a\u2800',
    'a\ufeffb',
    '\ufeff',
    'a\u180b',
    'a\u{e0100}',
  ])('%j is refused and the field is named', given => {
    expect(() => name(given)).toThrow(
      expect.objectContaining({ code: 'BAD_USER_INPUT', field: 'name' }),
    )
  })

  it('may have 500 characters, also those beyond the BMP, and not one more', () => {
    expect(name('😀'.repeat(500))).toHaveLength(1_000)
    expect(() => name('😀'.repeat(501))).toThrow('500')
  })

  it('stays as it is when it is read and saved again', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 40 }), text => {
        let once: string
        try {
          once = name(text)
        } catch {
          return
        }
        expect(name(once)).toBe(once)
        expect(once.isWellFormed()).toBe(true)
      }),
    )
  })
})
