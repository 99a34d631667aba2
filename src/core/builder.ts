import SchemaBuilder from '@pothos/core'
import ComplexityPlugin from '@pothos/plugin-complexity'
import PrismaPlugin from '@pothos/plugin-prisma'
import RelayPlugin from '@pothos/plugin-relay'
import ScopeAuthPlugin from '@pothos/plugin-scope-auth'
import type PrismaTypes from '../generated/pothos.ts'
import { getDatamodel } from '../generated/pothos.ts'
import type { Prisma, PrismaClient } from '../generated/prisma/client.ts'
import type { Connection } from './connection.ts'
import type { Context } from './context.ts'
import { unauthenticated } from './errors.ts'
import { writeGlobalId } from './ids.ts'
import type { Json } from './json.ts'
import { CursorScalar, DateTimeScalar, HashScalar, JsonScalar } from './scalars.ts'

/** Rows by the name of their type, so that rooms can name each other's types without an import. */
export type Rows = {
  [Name in keyof PrismaTypes]: PrismaTypes[Name] extends { Shape: infer Shape } ? Shape : never
}

export interface SchemaTypes {
  Context: Context
  PrismaTypes: PrismaTypes
  Objects: Rows
  DefaultFieldNullability: false
  DefaultEdgesNullability: { list: false; items: false }
  DefaultNodeNullability: false
  Connection: Pick<Connection<unknown>, 'totalCount'>
  AuthScopes: { viewer: boolean }
  Scalars: {
    ID: { Input: string; Output: string | bigint }
    DateTime: { Input: Date; Output: Date }
    Hash: { Input: string; Output: string }
    Cursor: { Input: string; Output: string }
    JSON: { Input: Json; Output: Json | Prisma.JsonValue }
  }
}

export const builder = new SchemaBuilder<SchemaTypes>({
  plugins: [ScopeAuthPlugin, RelayPlugin, PrismaPlugin, ComplexityPlugin],
  defaultFieldNullability: false,
  // Every field reads through a loader or a statement of its room, so that one permission predicate
  // serves them all. The plugin gives the types; the client that it would query with is never used.
  prisma: { client: undefined as unknown as PrismaClient, dmmf: getDatamodel() },
  relay: {
    cursorType: 'String',
    encodeGlobalID: writeGlobalId,
    nodeTypeOptions: { description: 'Anything with a global id, which `node` finds again.' },
    nodeQueryOptions: false,
    nodesQueryOptions: false,
    idFieldOptions: { description: 'The global id.' },
    defaultEdgeTypeOptions: { description: 'A row of a page.' },
    edgesFieldOptions: { description: 'The rows of the page, in the order of the list.' },
    nodeFieldOptions: { description: 'What stands in the row.' },
    cursorFieldOptions: {
      description: 'The place of the row, to go on from: `after` or `before`.',
    },
    pageInfoFieldOptions: { description: 'Where the page stands in its list.' },
    pageInfoTypeOptions: { description: 'Where a page stands in its list.' },
    hasNextPageFieldOptions: { description: 'Whether there are rows behind the page.' },
    hasPreviousPageFieldOptions: { description: 'Whether there are rows before the page.' },
    startCursorFieldOptions: { description: 'The cursor of its first row; null on an empty page.' },
    endCursorFieldOptions: { description: 'The cursor of its last row; null on an empty page.' },
  },
  scopeAuth: {
    authorizeOnSubscribe: true,
    authScopes: context => ({ viewer: context.viewer !== null }),
    unauthorizedError: () => unauthenticated(),
  },
})

builder.addScalarType('DateTime', DateTimeScalar)
builder.addScalarType('Hash', HashScalar)
builder.addScalarType('Cursor', CursorScalar)
builder.addScalarType('JSON', JsonScalar)

// A root field is closed to who has not signed in unless it says `skipTypeScopes`.
builder.queryType({ description: 'What can be read.', authScopes: { viewer: true } })
builder.mutationType({ description: 'What can be changed.', authScopes: { viewer: true } })
builder.subscriptionType({ description: 'What can be watched.', authScopes: { viewer: true } })

builder.globalConnectionField('totalCount', t =>
  t.int({
    description: 'How many there are in the whole list that the viewer may see.',
    complexity: 10,
    resolve: connection => connection.totalCount(),
  }),
)
