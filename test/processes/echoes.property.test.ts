import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Echoes } from '../../src/processes/echoes.ts'

const letters = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 60 })
const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), minLength: 1, maxLength: 6 })

/** Looks for each word at each place. */
function covered(text: string, words: readonly string[]): boolean[] {
  const marks = Array.from(text, () => false)
  for (const word of words) {
    for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) {
      marks.fill(true, at, at + word.length)
    }
  }
  return marks
}

describe('echoes', () => {
  it('are every place where a word stands, and no other', () => {
    fc.assert(
      fc.property(letters, fc.array(word, { maxLength: 8 }), (text, words) => {
        const rest = new Echoes(words).replaceIn(text, '-').replaceAll('-', '')
        const marks = covered(text, words)
        expect(rest).toBe([...text].filter((_letter, at) => !marks[at]).join(''))
      }),
    )
  })

  it('that overlap are one', () => {
    const echoes = new Echoes(['abc', 'bcd', 'xabcdy', 'bc'])
    expect(echoes.replaceIn('1abcd2bc3xabcdy4ab', '-')).toBe('1-2-3-4ab')
  })
})
