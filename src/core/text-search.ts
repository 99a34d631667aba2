import { readable, type SearchQuery } from './search-query.ts'
import { empty, join, type Sql, sql } from './sql.ts'

// The functions core.folded, core.folded_pattern and core.search_query come with the first migration.

/** True where one of the columns holds the text, whatever its case and accents. */
export function containsText(columns: readonly Sql[], text: string): Sql {
  const pattern = sql`'%' || core.folded_pattern(${readable(text)}) || '%'`
  return sql`(${join(
    columns.map(column => sql`core.folded(${column}) like ${pattern}`),
    ' or ',
  )})`
}

/** What a search compares, as columns. */
export interface Searched {
  /** The name, folded: under collation C with an index of its order, and with one of its trigrams. */
  foldedName: Sql
  /** The vector of the name, and the one of the whole text, each with its index. */
  nameVector: Sql
  vector: Sql
}

/**
 * The ways in which a row can be what was searched for. It finds stems of Russian, English and Spanish,
 * unaccented forms, parts of names, and names that look alike.
 */
export function textSearch(searched: Searched, search: SearchQuery) {
  const { foldedName, nameVector, vector } = searched
  const { typed, negates } = search
  // In a subselect it is no constant to the planner, which would else read the whole table for a word
  // that many rows have, and not know what it costs to unpack their vectors. But words that are to be
  // missing no index finds.
  const wanted = search.negatesAlone ? sql`(${search.query})` : sql`(select ${search.query})`
  const folded = sql`core.folded(${typed})`
  const pattern = sql`core.folded_pattern(${typed})`
  const text = sql`${vector} @@ ${wanted}`
  return {
    /** The name begins with what was typed. */
    beginning: sql`${foldedName} like ${pattern} || '%'`,
    /** The name has its words. A word to be without may stand in the rest of the text. */
    words: sql`${nameVector} @@ ${wanted}${negates ? sql` and ${text}` : empty}`,
    /** The name holds it somewhere. */
    part: sql`${foldedName} like '%' || ${pattern} || '%'`,
    /** The index of trigrams has nothing for less than three letters in a row. */
    hasTrigrams: /[\p{L}\p{N}]{3}/u.test(typed),
    /** The whole text, name and all, has its words. */
    text,
    /** Part of the name is alike: the setting pg_trgm.word_similarity_threshold says how much. */
    alike: sql`${folded} <% ${foldedName}`,
    likeness: sql`word_similarity(${folded}, ${foldedName})::float8`,
  }
}
