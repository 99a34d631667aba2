import { join, raw, type Sql, sql } from './sql.ts'

// The functions core.folded, core.search_vector and core.search_query come with the first migration.

/** Longer queries gain nothing, and their stems would be compared with every row. */
const maxQueryLength = 500

/** A LIKE pattern in which what was typed stands for itself. */
const literal = (text: string) => text.replace(/[\\%_]/g, '\\$&')

const readable = (text: string) =>
  text.replaceAll('\u0000', ' ').toWellFormed().slice(0, maxQueryLength).toWellFormed().trim()

/** True where one of the columns holds the text, whatever its case and accents. */
export function containsText(columns: readonly Sql[], text: string): Sql {
  const pattern = sql`'%' || core.folded(${literal(readable(text))}) || '%'`
  return sql`(${join(
    columns.map(column => sql`core.folded(${column}) like ${pattern}`),
    ' or ',
  )})`
}

const operators = /"|(^|\s)-\S|(^|\s)or(\s|$)/i

/** What a search compares: the stored vector of the whole text, and the name for what looks alike. */
export interface Searched {
  vector: Sql
  name: Sql
}

/**
 * A search as people type it: words, "phrases", or, -without. It finds stems of Russian, English and
 * Spanish, unaccented forms, parts of names, and names that look alike. Never an error; undefined for
 * a text of nothing but space, which asks for everything.
 */
export function textSearch(
  { vector, name }: Searched,
  text: string,
): { matches: Sql; score: Sql } | undefined {
  const typed = readable(text)
  if (typed === '') return undefined
  const query = sql`core.search_query(${typed})`
  const folded = sql`core.folded(${typed})`
  const foldedName = sql`core.folded(${name})`
  const part = sql`core.folded(${literal(typed)})`
  // What looks like the whole of "a -b" has the very word that it should be without.
  const alike = operators.test(typed)
    ? raw('false')
    : sql`(${folded} <% ${foldedName} or ${foldedName} % ${folded})`
  return {
    matches: sql`(${vector} @@ ${query} or ${foldedName} like '%' || ${part} || '%' or ${alike})`,
    // The name itself first, then its beginnings, then by likeness and weight of the words.
    score: sql`(case when ${foldedName} = ${folded} then 4 when ${foldedName} like ${part} || '%' then 2 else 0 end
      + greatest(word_similarity(${folded}, ${foldedName}), similarity(${folded}, ${foldedName}))::float8 + ts_rank(${vector}, ${query})::float8)`,
  }
}
