import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  againstTheOrder,
  importCycle,
  rulesThatKnowGraphql,
  type Sources,
} from './support/imports.ts'

const sources: Sources = new Map(
  readdirSync('src', { recursive: true, encoding: 'utf8' })
    .map(path => join('src', path))
    .filter(path => path.endsWith('.ts') && !path.startsWith('src/generated/'))
    .map(path => [path, readFileSync(path, 'utf8')]),
)

const planted = (path: string, imported: string): Sources =>
  new Map([...sources, [path, `import { x } from '${imported}'`]])

describe('the house', () => {
  it('imports one way: core, identity, graph, and so on up to main', () => {
    expect(againstTheOrder(sources)).toEqual([])
  })

  it('has rules that know no GraphQL', () => {
    expect(rulesThatKnowGraphql(sources)).toEqual([])
  })

  it('has no cycle of imports', () => {
    expect(importCycle(sources)).toBeNull()
  })
})

describe('a planted violation', () => {
  it.each([
    ['src/core/planted.ts', '../graph/links.ts'],
    ['src/identity/planted.ts', '../graph/links.ts'],
    ['src/memory/planted.ts', '../messages/chain.ts'],
    ['src/graph/planted.ts', '../server/http.ts'],
    ['src/server/planted.ts', '../schema.ts'],
    ['src/graph/planted.ts', '../app.ts'],
  ])('%s importing %s is found', (path, imported) => {
    expect(againstTheOrder(planted(path, imported))).toHaveLength(1)
  })

  it.each(['graphql', '@pothos/core', './link.schema.ts', '../core/builder.ts'])(
    'a rule importing %s is found',
    imported => {
      expect(rulesThatKnowGraphql(planted('src/graph/planted.ts', imported))).toHaveLength(1)
    },
  )

  it('of a cycle is found', () => {
    const cyclic = new Map([
      ...planted('src/core/errors.ts', './planted.ts'),
      ['src/core/planted.ts', `export { DomainError } from './errors.ts'`] as const,
    ])
    expect(importCycle(cyclic)).toBe(
      'src/core/errors.ts → src/core/planted.ts → src/core/errors.ts',
    )
  })
})
