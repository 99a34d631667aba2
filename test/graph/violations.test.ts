import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { graphql } from '../generated/gql.ts'
import { type Api, startApi } from '../support/api.ts'
import { transports } from '../support/raw-transports.ts'

let api: Api
let ends: { from: string; to: string }

beforeAll(async () => {
  api = await startApi()
  const { upsertGraph } = await api.admin.run(
    graphql(`
      mutation ViolatedGraph {
        upsertGraph(concepts: [{ name: "a" }, { name: "b" }], links: []) { concepts { id } }
      }
    `),
  )
  const [from, to] = upsertGraph.concepts
  ends = { from: from?.id ?? '', to: to?.id ?? '' }
  // Whatever is written from now on refers to an LLM that is not there.
  await api.db.pool.query(`
    create function lose_llm() returns trigger language plpgsql as
      $$ begin new.llm_id := 'nowhere'; return new; end $$;
    create trigger lose_llm before insert on concepts for each row execute function lose_llm();
    create trigger lose_llm before insert on links for each row execute function lose_llm()`)
})
afterAll(() => api.close())

const writes: [title: string, operation: () => string][] = [
  ['creating a concept', () => 'createConcept(input: { name: "c" }) { id }'],
  [
    'linking concepts',
    () =>
      `linkConcepts(links: [{ from: "${ends.from}", to: "${ends.to}", relationType: "r" }]) { id }`,
  ],
  [
    'writing a graph',
    () => 'upsertGraph(concepts: [{ name: "d" }], links: []) { conceptsCreated }',
  ],
]

describe.each(transports)('over %s', (_name, ask) => {
  it.each(writes)(
    '%s that breaks a foreign key is INTERNAL, and tells nothing of the database',
    async (_title, operation) => {
      const server = { url: api.url, wsUrl: api.url.replace('http', 'ws') }
      const query = `mutation { ${operation()} }`
      const [result] = await ask(server, { query }, api.admin.token)
      expect(result?.errors).toEqual([
        expect.objectContaining({
          extensions: { code: 'INTERNAL', requestId: expect.any(String) },
        }),
      ])
      expect(JSON.stringify(result)).not.toMatch(/foreign|violat|fkey|insert|llm_id|prisma|\.ts/i)
    },
  )
})
