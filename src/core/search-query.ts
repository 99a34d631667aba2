import { join, raw, type Sql, sql } from './sql.ts'

/** What somebody typed to search by. */
export interface SearchQuery {
  /** As it was typed, as far as it is looked at. */
  typed: string
  /** What it says of a text's words, as a tsquery. */
  query: Sql
  /** It has words that a text should be without. */
  negates: boolean
  /** An alternative of it has nothing else. */
  negatesAlone: boolean
  /** It says more than words: phrases, or, -without. */
  hasOperators: boolean
}

/** In characters, and in words and phrases. What comes after them is not looked at. */
const searchLimits = { length: 200, words: 16 }

/** A text in which nothing is left that PostgreSQL cannot read. */
export const readable = (text: string) =>
  text
    .replaceAll('\u0000', ' ')
    .toWellFormed()
    .slice(0, searchLimits.length)
    .toWellFormed()
    .normalize('NFC')
    .trim()

/**
 * A search as people type it: words, "phrases", or, -without. Never an error; undefined for a text of
 * nothing but space, which asks for everything.
 */
export function readSearch(text: string): SearchQuery | undefined {
  const typed = readable(text)
  if (typed === '') return undefined
  const alternatives = readAlternatives(typed)
  const words = alternatives.flat()
  const negates = words.some(word => word.negated)
  return {
    typed,
    query: alternatives.length === 0 ? raw(`''::tsquery`) : join(alternatives.map(toQuery), ' || '),
    negates,
    negatesAlone: alternatives.some(words => words.every(word => word.negated)),
    hasOperators: negates || alternatives.length > 1 || words.some(word => word.text.includes('"')),
  }
}

interface Word {
  /** A phrase with its quotes. */
  text: string
  negated: boolean
}

const token = /(-*)("[^"]*"?|[^\s"]+)/g

/** The words between one OR and the next. Words, and alternatives, that come again are left out. */
function readAlternatives(typed: string): Word[][] {
  const known = new Set<string>()
  const alternatives: Map<string, Word>[] = [new Map()]
  for (const [whole, minus = '', text = ''] of typed.matchAll(token)) {
    if (/^or$/i.test(whole)) {
      alternatives.push(new Map())
    } else if (/[^-"\s]/.test(text)) {
      if (known.add(whole).size > searchLimits.words) break
      alternatives.at(-1)?.set(whole, { text, negated: minus !== '' })
    }
  }
  const different = new Map(alternatives.map(words => [[...words.keys()].join(' '), words]))
  return [...different.values()].filter(words => words.size > 0).map(words => [...words.values()])
}

/** One language at a time has all the words that should be there; none has one that should not. */
function toQuery(words: readonly Word[]): Sql {
  const wanted = words.filter(word => !word.negated).map(word => word.text)
  const parts = [
    ...(wanted.length > 0 ? [sql`core.search_query(${wanted.join(' ')})`] : []),
    ...words.filter(word => word.negated).map(word => sql`!! core.search_query(${word.text})`),
  ]
  return sql`(${join(parts, ' && ')})`
}
