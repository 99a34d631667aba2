import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { graphql } from '../generated/gql.ts'
import { type Api, startApi } from '../support/api.ts'
import { hold } from '../support/held-transaction.ts'
import { watch } from '../support/watch.ts'

let api: Api
beforeAll(async () => {
  api = await startApi()
})
afterAll(() => api.close())

const Changes = graphql(`
  subscription FeedChanges($after: Cursor) {
    graphChanges(after: $after) {
      cursor
      at
      ... on ConceptCreated { name }
    }
  }
`)
const Create = graphql(`
  mutation FeedConcept($name: String!) { createConcept(input: { name: $name }) { id } }
`)

const create = async (name: string, at = api) => {
  await at.admin.run(Create, { name })
}
/** A cursor behind all that was written so far: what was read a moment later may be told again. */
async function position(at = api): Promise<string> {
  const feed = await watch(at.admin, Changes, {})
  await create(`mark ${++marks}`, at)
  for (;;) {
    const { graphChanges } = await feed.next()
    if ('name' in graphChanges && graphChanges.name === `mark ${marks}`) return graphChanges.cursor
  }
}
let marks = 0
const names = (events: { graphChanges: object }[]) =>
  events.map(({ graphChanges }) => ('name' in graphChanges ? graphChanges.name : undefined))

describe.each(['ws', 'sse'] as const)('a feed over %s', over => {
  it('brings what is committed from the moment on when it was asked for', async () => {
    const feed = await watch(api.admin, Changes, {}, { over })
    await create(`${over} first`)
    await create(`${over} second`)
    expect(names(await feed.take(2))).toEqual([`${over} first`, `${over} second`])
  })

  it('brings nothing that was answered before it was asked for', async () => {
    for (let round = 0; round < 20; round++) {
      await Promise.all(['a', 'b', 'c'].map(letter => create(`${over} old ${letter} ${round}`)))
      const feed = await watch(api.admin, Changes, {}, { over })
      await create(`${over} new ${round}`)
      expect(names(await feed.take(1))).toEqual([`${over} new ${round}`])
      feed.cut()
    }
  })

  it('goes on behind the cursor of any event, and brings nothing twice', async () => {
    const after = await position()
    for (const letter of ['a', 'b', 'c', 'd']) await create(`${over} resumed ${letter}`)
    const whole = await (await watch(api.admin, Changes, { after }, { over })).take(4)
    expect(names(whole)).toEqual(['a', 'b', 'c', 'd'].map(letter => `${over} resumed ${letter}`))
    for (const [index, { graphChanges }] of whole.entries()) {
      const rest = await watch(api.admin, Changes, { after: graphChanges.cursor }, { over })
      await create(`${over} after ${index}`)
      const expected = [...names(whole.slice(index + 1)), `${over} after ${index}`]
      const others = [0, 1, 2, 3].slice(0, index).map(earlier => `${over} after ${earlier}`)
      const seen = names(await rest.take(expected.length + others.length))
      expect(seen).toEqual([...expected.slice(0, -1), ...others, ...expected.slice(-1)])
    }
  })

  it('brings what a slow transaction wrote first and committed last, and the others meanwhile', async () => {
    const feed = await watch(api.admin, Changes, {}, { over })
    const slow = await hold(
      api.db.pool,
      `with made as (insert into concepts (name) values ($1) returning id, name)
       insert into core.changes (topic, subject, payload)
       select 'graph', 'concept ' || id, jsonb_build_object('type', 'conceptCreated', 'conceptId', id::text, 'name', name) from made`,
      [`${over} slow`],
    )
    const fast = [1, 2, 3].map(number => `${over} fast ${number}`)
    for (const name of fast) await create(name)
    const events = await feed.take(3)
    expect(names(events)).toEqual(fast)
    await slow.commit()
    expect(names([await feed.next()])).toEqual([`${over} slow`])

    const after = events[0]?.graphChanges.cursor ?? ''
    const resumed = await watch(api.admin, Changes, { after }, { over })
    expect(names(await resumed.take(3))).toEqual([fast[1], fast[2], `${over} slow`])
  })

  it('brings nothing of a transaction that was rolled back', async () => {
    const feed = await watch(api.admin, Changes, {}, { over })
    expect(await api.admin.verdict(Create, { name: `${over} kept` })).toBeNull()
    expect(await api.admin.verdict(Create, { name: `${over} kept` })).toBe('CONFLICT')
    await create(`${over} next`)
    expect(names(await feed.take(2))).toEqual([`${over} kept`, `${over} next`])
  })

  it.each(['', 'x', 'W10=', Buffer.from('["a","5:5:"]').toString('base64url')])(
    'refuses «%s» as a cursor',
    async after => {
      const feed = await watch(api.admin, Changes, { after }, { over })
      const { extensions } = await feed.refusal()
      const isOther = after.startsWith('WyJh')
      expect(extensions.code).toBe(isOther ? 'LIMIT_EXCEEDED' : 'BAD_USER_INPUT')
      expect(extensions).toMatchObject(isOther ? { resync: true } : { field: 'after' })
    },
  )
})

describe('a cursor', () => {
  it.each([
    ['behind a batch', ['999999999:999999999:']],
    ['in a batch', ['5:5:', '999999999:999999999:', '1']],
  ])('%s that is ahead of the database is told to read anew', async (_where, ahead) => {
    const [epoch] = JSON.parse(Buffer.from(await position(), 'base64url').toString())
    const place = [epoch, ...ahead]
    const after = Buffer.from(JSON.stringify(place)).toString('base64url')
    const feed = await watch(api.admin, Changes, { after })
    expect((await feed.refusal()).extensions).toMatchObject({
      code: 'LIMIT_EXCEEDED',
      resync: true,
    })
  })

  it('that is older than what is kept is told to read anew', async () => {
    // Of its own: what is said to be gone would be so for the other tests too.
    const trimmed = await startApi()
    onTestFinished(() => trimmed.close())
    const after = await position(trimmed)
    await create('trimmed', trimmed)
    await trimmed.db.pool.query(
      `with gone as (delete from core.changes where payload ->> 'name' = 'trimmed' returning xact)
        update core.change_log set trimmed = (select xact from gone)`,
    )
    // Out of the memory of the first server, whose ring still has it.
    const feed = await watch(await trimmed.sibling(), Changes, { after })
    expect((await feed.refusal()).extensions).toMatchObject({
      code: 'LIMIT_EXCEEDED',
      resync: true,
    })
  })
})
