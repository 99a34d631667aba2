import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { graphql } from '../generated/gql.ts'
import { type Api, startApi } from '../support/api.ts'
import { RawEventSource } from '../support/raw-events.ts'

let api: Api
beforeAll(async () => {
  api = await startApi()
})
afterAll(() => api.close())

const Changes = graphql(`
  subscription ResumedChanges($after: Cursor) {
    graphChanges(after: $after) {
      cursor
      ... on ConceptCreated { name }
    }
  }
`)
const Create = graphql(`
  mutation ResumedConcept($name: String!) { createConcept(input: { name: $name }) { id } }
`)
const Position = graphql(`query ResumedPosition { runs(first: 0) { changesCursor } }`)

const create = async (...names: string[]) => {
  for (const name of names) await api.admin.run(Create, { name })
}

/** Opens the stream by GET, at an address that stays the same when the stream is taken up again. */
function open(after?: string, lastEventId?: string): Promise<RawEventSource> {
  const address = new URL(api.url)
  address.searchParams.set('query', Changes.toString())
  if (after) address.searchParams.set('variables', JSON.stringify({ after }))
  return RawEventSource.open(address, { authorization: `Bearer ${api.admin.token}` }, lastEventId)
}

async function change(source: RawEventSource): Promise<{ cursor: string; name: string }> {
  const event = await source.next()
  return JSON.parse(event?.data ?? 'null').data.graphChanges
}

describe('an EventSource', () => {
  it('gets the cursor of each change as the id of its event', async () => {
    const source = await open()
    await create('first', 'second')
    for (const name of ['first', 'second']) {
      const { cursor, ...rest } = await change(source)
      expect(rest).toEqual({ name })
      expect(source.lastEventId).toBe(cursor)
    }
  })

  it('that lost its connection goes on behind the last event, wherever it had begun', async () => {
    const { changesCursor } = (await api.admin.run(Position)).runs
    await create('a', 'b', 'c')
    let source = await open(changesCursor)
    for (const name of ['a', 'b']) expect(await change(source)).toMatchObject({ name })
    source = await source.reopen()
    expect(await change(source)).toMatchObject({ name: 'c' })
    source = await source.reopen()
    await create('d')
    expect(await change(source)).toMatchObject({ name: 'd' })
  })

  it('with an id that is none is told so in an event', async () => {
    const source = await open(undefined, 'nonsense')
    expect(source.response?.status).toBe(200)
    expect(JSON.parse((await source.next())?.data ?? '')).toMatchObject({
      errors: [{ extensions: { code: 'BAD_USER_INPUT' } }],
    })
    expect(await source.next()).toEqual({ type: 'complete', data: '' })
  })
})
