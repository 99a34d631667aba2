import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { graphql } from '../generated/gql.ts'
import type { SearchConceptsQuery } from '../generated/graphql.ts'
import { type Api, startApi } from '../support/api.ts'

let api: Api
beforeAll(async () => {
  api = await startApi()
  await api.admin.run(
    graphql(`
      mutation Searched($concepts: [ConceptUpsert!]!) { upsertGraph(concepts: $concepts, links: []) { conceptsCreated } }
    `),
    {
      concepts: [
        { name: 'Agent', description: 'Acts for a person.' },
        { name: 'Agent of change', description: 'A person.' },
        { name: 'Notebook', description: 'Здесь лежат заметки о проектах.' },
        { name: 'Songbook', description: 'Una canción de Málaga.' },
        { name: 'Recipe', description: 'Baking big round cakes.' },
        { name: '100% sure', description: 'under_score' },
        { name: 'C++', description: 'A language.' },
        { name: 'Party 🎉' },
        { name: 'Ёлка' },
        { name: 'First pet', description: 'zzpets: a cat and a dog' },
        { name: 'Second pet', description: 'zzpets: про собаку и кошку' },
        { name: 'Third pet', description: 'zzpets: una canción' },
      ],
    },
  )
})
afterAll(() => api.close())

const Search = graphql(`
  query SearchConcepts($search: String!, $first: Int, $after: String) {
    concepts(search: $search, first: $first, after: $after) {
      totalCount
      pageInfo { hasNextPage endCursor }
      edges { node { name } }
    }
  }
`)

const found = async (search: string) =>
  (await api.admin.run(Search, { search })).concepts.edges.map(edge => edge.node.name)

describe('a search', () => {
  it.each([
    ['заметка', 'Notebook', 'a Russian word in another case'],
    ['cancion', 'Songbook', 'a Spanish word without its accent'],
    ['canciones', 'Songbook', 'a Spanish plural'],
    ['malaga', 'Songbook', 'a name without its accent'],
    ['cake', 'Recipe', 'an English singular'],
    ['big cake', 'Recipe', 'two words that are not neighbours'],
    ['"big round"', 'Recipe', 'a phrase'],
    ['notbook', 'Notebook', 'a name with a letter missing'],
    ['AGEN', 'Agent', 'the beginning of a name in capitals'],
    ['елка', 'Ёлка', 'е for ё'],
    ['🎉', 'Party 🎉', 'an emoji'],
    ['c++', 'C++', 'a name of signs'],
    ['100%', '100% sure', 'a percent sign'],
  ])('for %j finds %s: %s', async (search, name) => {
    expect(await found(search)).toContain(name)
  })

  it('puts the name itself first, then names that begin so', async () => {
    expect((await found('agent')).slice(0, 2)).toEqual(['Agent', 'Agent of change'])
  })

  it('puts a name that has the words before a text that has them', async () => {
    expect(await found('canciones')).toEqual(['Third pet', 'Songbook'])
    await api.db.pool.query(`update concepts set name = 'La canción' where name = 'Songbook'`)
    const names = await found('canciones')
    await api.db.pool.query(`update concepts set name = 'Songbook' where name = 'La canción'`)
    expect(names).toEqual(['La canción', 'Third pet'])
  })

  it('leaves out what has a word after a minus', async () => {
    const names = await found('person -change')
    expect(names).toContain('Agent')
    expect(names).not.toContain('Agent of change')
  })

  it.each([
    ['-dogs', 'First pet'],
    ['-"a dog"', 'First pet'],
    ['-собака', 'Second pet'],
    ['-кошки', 'Second pet'],
    ['-canciones', 'Third pet'],
    ['-cancion', 'Third pet'],
  ])(
    'with %j leaves out %s, whatever the form and the language of the word',
    async (minus, name) => {
      const pets = ['First pet', 'Second pet', 'Third pet']
      const others = pets.filter(pet => pet !== name)
      for (const search of [`zzpets ${minus}`, `nothing or zzpets ${minus}`]) {
        expect((await found(search)).toSorted()).toEqual(others)
      }
      expect(await found(`zzpets ${minus} or zzpets`)).toEqual(expect.arrayContaining(pets))
      expect(await found(minus)).not.toContain(name)
    },
  )

  it('takes a minus for the whole text, not for the name alone', async () => {
    expect((await found('pet -dogs')).toSorted()).toEqual(['Second pet', 'Third pet'])
  })

  it('takes wildcards for what they are, full-width ones too', async () => {
    for (const percent of ['%', '％', '﹪']) expect(await found(percent)).toEqual(['100% sure'])
    for (const underscore of ['_', '＿']) expect(await found(underscore)).toEqual([])
    for (const backslash of ['\\', '＼']) expect(await found(backslash)).toEqual([])
  })

  it('looks at sixteen words, each of them once', async () => {
    const words = Array.from({ length: 15 }, (_, n) => `w${n}`).join(' or ')
    expect(await found(`${words} or canciones`)).toEqual(['Third pet', 'Songbook'])
    expect(await found(`${words} or w15 or canciones`)).toEqual([])
    expect(await found(`${'w1 or '.repeat(20)}canciones`)).toEqual(['Third pet', 'Songbook'])
  })

  it.each([
    "c++ & | ! ( '",
    ':*',
    '((',
    '"',
    '-',
    "'; drop table links; --",
    '\u0000',
    '\ud800',
    '!'.repeat(2_000),
  ])('for %j is no error', async search => {
    await found(search)
  })

  it.each(['', '   '])('for %j, which is nothing, answers everything', async search => {
    expect(await found(search)).toHaveLength(12)
  })

  it('is read page by page without a repetition', async () => {
    const seen: string[] = []
    let after: string | null = null
    do {
      const { concepts }: SearchConceptsQuery = await api.admin.run(Search, {
        search: 'person OR cakes OR agent',
        first: 1,
        after,
      })
      seen.push(...concepts.edges.map(edge => edge.node.name))
      after = concepts.pageInfo.hasNextPage ? (concepts.pageInfo.endCursor ?? null) : null
    } while (after)
    expect(seen.toSorted()).toEqual(['Agent', 'Agent of change', 'Recipe'])
  })
})
