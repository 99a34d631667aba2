import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { Loaders } from '../../src/core/loaders.ts'
import { transaction } from '../../src/core/transaction.ts'
import { hashtagHash, saveHashtags } from '../../src/identity/hashtags.ts'
import { graphql } from '../generated/gql.ts'
import { type Api, startApi } from '../support/api.ts'

let api: Api
beforeAll(async () => {
  api = await startApi()
})
afterAll(() => api.close())

const Register = graphql(`
  mutation Register($llmId: String!, $name: String!, $description: String) {
    registerLlm(llmId: $llmId, name: $name, description: $description) {
      id llmId name description player { hash kind name llm { llmId } user { login } }
    }
  }
`)
const Llm = graphql(
  `query Llm($llmId: String!) { llm(llmId: $llmId) { name } llms { totalCount } }`,
)
const Player = graphql(
  `query Player($hash: Hash!) { player(hash: $hash) { kind name user { login } llm { llmId } } }`,
)

describe('the LLM registry', () => {
  it('keeps one entry and one player for each LLM', async () => {
    const first = await api.admin.run(Register, {
      llmId: 'phi4',
      name: 'Phi',
      description: 'small',
    })
    const second = await api.admin.run(Register, { llmId: ' phi4 ', name: 'Phi 4' })
    expect(second.registerLlm).toMatchObject({
      id: first.registerLlm.id,
      name: 'Phi 4',
      description: 'small',
    })
    expect(second.registerLlm.player).toEqual({
      ...first.registerLlm.player,
      name: 'Phi 4',
      llm: { llmId: 'phi4' },
      user: null,
    })
  })

  it('is read by everybody, and written by administrators and by the agent that is the LLM', async () => {
    const ann = await api.signUp('ann')
    const agent = await api.signUp('bob', { kind: 'AGENT' })
    await api.admin.run(Register, { llmId: 'shared', name: 'Shared' })
    expect((await ann.run(Llm, { llmId: 'shared' })).llm).toEqual({ name: 'Shared' })
    expect((await ann.run(Llm, { llmId: 'none' })).llm).toBeNull()
    expect(await ann.refused(Register, { llmId: 'shared', name: 'x' })).toMatchObject({
      code: 'FORBIDDEN',
    })
    expect(await agent.refused(Register, { llmId: 'shared', name: 'x' })).toMatchObject({
      code: 'FORBIDDEN',
    })
    expect((await agent.run(Register, { llmId: 'bob-llm', name: 'Bot' })).registerLlm.name).toBe(
      'Bot',
    )
  })
})

describe('a player', () => {
  it('is found by its hash, and names its user only to whom may see that one', async () => {
    const carl = await api.signUp('carl')
    const Hash = graphql(`query MyHash { viewer { user { player { hash } } } }`)
    const { hash } = (await carl.run(Hash)).viewer.user.player
    expect((await carl.run(Player, { hash })).player).toMatchObject({
      name: 'carl',
      user: { login: 'carl' },
    })
    const dora = await api.signUp('dora')
    expect((await dora.run(Player, { hash })).player).toMatchObject({ name: 'carl', user: null })
  })

  it('of the system is there from the beginning', async () => {
    const { rows } = await api.db.pool.query(`select hash from core.players where kind = 'system'`)
    expect((await api.admin.run(Player, { hash: rows[0].hash })).player).toMatchObject({
      kind: 'SYSTEM',
      name: 'system',
    })
  })

  it('is not found by what is no hash', async () => {
    expect((await api.admin.run(Player, { hash: '0'.repeat(64) })).player).toBeNull()
    expect(await api.admin.refused(Player, { hash: 'x' })).toMatchObject({ code: 'BAD_USER_INPUT' })
  })
})

describe('hashtags', () => {
  beforeEach(() => api.db.pool.query('delete from core.hashtags'))

  const save = (tags: string[]) =>
    transaction({ db: api.db, loaders: new Loaders() }, tx => saveHashtags(tx, tags, 'hashtags'))

  it('are one in all their spellings, and one row however many save them at once', async () => {
    const saved = await Promise.all(
      Array.from({ length: 8 }, (_, n) => save(n % 2 ? ['#a', 'b'] : [' b ', 'a', 'a'])),
    )
    expect(saved[1]).toEqual([
      { hash: hashtagHash('a'), tag: 'a' },
      { hash: hashtagHash('b'), tag: 'b' },
    ])
    const { rows } = await api.db.pool.query('select tag from core.hashtags order by tag')
    expect(rows).toEqual([{ tag: 'a' }, { tag: 'b' }])
  })

  it('are kept to the letter, whatever it is', async () => {
    const tags = ['a,b', 'q"x', '{}', 'NULL', ' x ', 'тег', '']
    const saved = await save(tags)
    expect(saved.map(({ tag }) => tag)).toEqual(['a,b', 'q"x', '{}', 'NULL', 'x', 'тег'])
    for (const { hash, tag } of saved) {
      const found = await api.db.prisma.hashtag.findUnique({ where: { tag } })
      expect(found).toEqual({ hash, tag })
    }
    await expect(save(['\u0000'])).rejects.toMatchObject({
      code: 'BAD_USER_INPUT',
      field: 'hashtags',
    })
  })
})

describe('a registry', () => {
  beforeEach(() => api.db.pool.query('delete from core.key_value'))

  const Save = graphql(`
    mutation SaveEntry($key: String!, $value: String!, $position: Int) {
      saveRegistryEntry(code: "KINDS", key: $key, value: $value, position: $position) { key value position }
    }
  `)
  const Entries = graphql(`query Entries { registry(code: "KINDS") { key value position } }`)

  it('takes positions from 0 to a million, and keys of at most 100 characters', async () => {
    for (const position of [-1, 1_000_001]) {
      expect(await api.admin.refused(Save, { key: 'k', value: '', position })).toMatchObject({
        code: 'BAD_USER_INPUT',
        field: 'position',
      })
    }
    expect(await api.admin.refused(Save, { key: '𐍈'.repeat(101), value: '' })).toMatchObject({
      code: 'BAD_USER_INPUT',
      field: 'key',
    })
    await api.admin.run(Save, { key: '𐍈'.repeat(100), value: '' })
  })

  it('puts a new entry last, changes the one under a key, and removes it', async () => {
    await api.admin.run(Save, { key: 'kA', value: 'a' })
    await api.admin.run(Save, { key: 'kB', value: 'b' })
    await api.admin.run(Save, { key: 'kA', value: 'changed' })
    await api.admin.run(Save, { key: 'kC', value: 'c', position: 0 })
    expect((await api.admin.run(Entries)).registry).toEqual([
      { key: 'kC', value: 'c', position: 0 },
      { key: 'kA', value: 'changed', position: 1 },
      { key: 'kB', value: 'b', position: 2 },
    ])
    const Remove = graphql(`
      mutation RemoveEntry($key: String!) { removeRegistryEntry(code: "KINDS", key: $key) { value } }
    `)
    expect((await api.admin.run(Remove, { key: 'kA' })).removeRegistryEntry.value).toBe('changed')
    expect(await api.admin.refused(Remove, { key: 'kA' })).toMatchObject({ code: 'NOT_FOUND' })
  })

  it('keeps ten new entries that come at once apart', async () => {
    await Promise.all(
      Array.from({ length: 10 }, (_, n) => api.admin.run(Save, { key: `k${n}`, value: '' })),
    )
    const positions = (await api.admin.run(Entries)).registry.map(entry => entry.position)
    expect(new Set(positions).size).toBe(10)
  })
})
