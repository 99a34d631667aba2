import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import {
  buildSchema,
  type GraphQLNamedType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
} from 'graphql'
import { describe, expect, it } from 'vitest'
import { printedSchema } from '../src/printed-schema.ts'

const committed = await readFile('schema.graphql', 'utf8')

describe('schema.graphql', () => {
  it('is what the code builds: run npm run schema after a change', () => {
    expect(committed).toBe(printedSchema())
  })

  it('describes every type, field, argument and value', () => {
    const undescribed = Object.values(buildSchema(committed).getTypeMap())
      .filter(({ name }) => !name.startsWith('__') && !builtIn.has(name))
      .flatMap(lacking)
    expect(undescribed).toEqual([])
  })

  it('is taken by the Relay compiler, with a fragment on a connection', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'engraph-relay-'))
    await mkdir(join(folder, 'src'))
    await writeFile(join(folder, 'schema.graphql'), committed)
    await writeFile(
      join(folder, 'relay.config.json'),
      JSON.stringify({ src: './src', schema: './schema.graphql', language: 'typescript' }),
    )
    await writeFile(join(folder, 'src', 'Concepts.ts'), relayFragment)
    const compiler = join(
      dirname(createRequire(import.meta.url).resolve('relay-compiler/package.json')),
      'cli.js',
    )
    const { stdout } = await promisify(execFile)(process.execPath, [compiler, '--validate'], {
      cwd: folder,
    }).catch(
      // It only says what it would write; that is no error of the schema.
      error => error as { stdout: string; stderr: string },
    )
    expect(stdout).not.toContain('[ERROR]')
    expect(stdout).toContain('compiled documents')
    await rm(folder, { recursive: true })
  })
})

const builtIn = new Set(['String', 'Int', 'Float', 'Boolean', 'ID'])

function lacking(type: GraphQLNamedType): string[] {
  const missing = type.description ? [] : [type.name]
  if (isEnumType(type)) {
    for (const value of type.getValues()) {
      if (!value.description) missing.push(`${type.name}.${value.name}`)
    }
    return missing
  }
  if (!isObjectType(type) && !isInterfaceType(type) && !isInputObjectType(type)) return missing
  for (const field of Object.values(type.getFields())) {
    if (!field.description) missing.push(`${type.name}.${field.name}`)
    if (!('args' in field)) continue
    for (const arg of field.args) {
      if (!arg.description) missing.push(`${type.name}.${field.name}(${arg.name})`)
    }
  }
  return missing
}

const relayFragment = `
import { graphql } from 'relay-runtime'
graphql\`
  fragment Concepts on Query
    @argumentDefinitions(count: { type: "Int", defaultValue: 10 }, cursor: { type: "String" })
    @refetchable(queryName: "ConceptsPaginationQuery") {
    concepts(first: $count, after: $cursor) @connection(key: "Concepts_concepts") {
      edges { node { id name } }
    }
  }
\`
graphql\`
  mutation ConceptsMutation($id: ID!, $connections: [ID!]!) {
    deleteConcept(id: $id) @deleteEdge(connections: $connections)
  }
\`
`
