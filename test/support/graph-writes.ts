import fc from 'fast-check'
import type { Caller } from '../../src/core/context.ts'
import type { Database } from '../../src/core/database.ts'
import { DomainError } from '../../src/core/errors.ts'
import { Loaders } from '../../src/core/loaders.ts'
import { createConcept, deleteConcept, updateConcept } from '../../src/graph/concepts.ts'
import { linkConcepts, unlinkConcepts } from '../../src/graph/links.ts'
import { mergeConcepts } from '../../src/graph/merge.ts'
import { upsertGraph } from '../../src/graph/upsert.ts'

/** Who writes as an administrator. */
export const writer = (db: Database): Caller => ({
  viewer: {
    kind: 'ADMIN',
    userId: '00000000-0000-4000-8000-000000000000',
    login: 'admin',
    groups: [],
    llmId: null,
    tokenId: null,
    expiresAt: null,
  },
  db,
  loaders: new Loaders(),
})

/** A write to the graph; concepts and links are known by their place among those that there are. */
export type Write =
  | { kind: 'create'; name: string; description: string | null }
  | { kind: 'update'; place: number; name: string | null; description: string | null }
  | { kind: 'delete'; place: number }
  | { kind: 'link'; from: number; to: number; type: string }
  | { kind: 'unlink'; place: number }
  | { kind: 'merge'; into: number; from: number[] }
  | { kind: 'upsert'; names: string[]; description: string | null; type: string }

const name = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g')
const description = fc.option(fc.constantFrom('one', 'two', 'three'))
const type = fc.constantFrom('is_a', 'uses')
const place = fc.nat(20)

export const anyWrite: fc.Arbitrary<Write> = fc.oneof(
  fc.record({ kind: fc.constant('create' as const), name, description }),
  fc.record({ kind: fc.constant('update' as const), place, name: fc.option(name), description }),
  fc.record({ kind: fc.constant('delete' as const), place }),
  fc.record({ kind: fc.constant('link' as const), from: place, to: place, type }),
  fc.record({ kind: fc.constant('unlink' as const), place }),
  fc.record({
    kind: fc.constant('merge' as const),
    into: place,
    from: fc.array(place, { minLength: 1, maxLength: 3 }),
  }),
  fc.record({
    kind: fc.constant('upsert' as const),
    names: fc.array(name, { minLength: 1, maxLength: 4 }),
    description,
    type,
  }),
)

/** Writes as a client would, who may be refused. */
export async function write(caller: Caller, wanted: Write): Promise<void> {
  const { rows } = await caller.db.pool.query<{ concepts: string[]; links: string[] }>(
    `select array(select id::text from concepts order by id) as concepts,
      array(select id::text from links order by id) as links`,
  )
  const { concepts = [], links = [] } = rows[0] ?? {}
  const concept = (at: number) => concepts[at % concepts.length] ?? '1'
  try {
    await perform(caller, wanted, concept, at => links[at % links.length] ?? '1')
  } catch (error) {
    if (!(error instanceof DomainError)) throw error
  }
}

async function perform(
  caller: Caller,
  wanted: Write,
  concept: (at: number) => string,
  link: (at: number) => string,
): Promise<unknown> {
  switch (wanted.kind) {
    case 'create':
      return createConcept(caller, wanted)
    case 'update':
      return updateConcept(caller, concept(wanted.place), {
        name: wanted.name ?? undefined,
        description: wanted.description,
      })
    case 'delete':
      return deleteConcept(caller, concept(wanted.place))
    case 'link': {
      const [from, to] = [concept(wanted.from), concept(wanted.to)]
      return linkConcepts(caller, [{ from, to, relationType: wanted.type }])
    }
    case 'unlink':
      return unlinkConcepts(caller, [link(wanted.place)])
    case 'merge':
      return mergeConcepts(caller, {
        into: concept(wanted.into),
        from: wanted.from.map(concept),
      })
    case 'upsert': {
      const { names, description, type: relationType } = wanted
      const [from = ''] = names
      return upsertGraph(caller, {
        concepts: names.map(each => ({ name: each, description })),
        links: names.map(to => ({ from, to, relationType })),
      })
    }
  }
}
