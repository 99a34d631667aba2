import { PothosValidationError } from '@pothos/core'
import { ForbiddenError } from '@pothos/plugin-scope-auth'
import {
  GraphQLEnumType,
  GraphQLError,
  type GraphQLFieldConfig,
  GraphQLFloat,
  GraphQLInputObjectType,
  GraphQLInt,
  GraphQLList,
  GraphQLNonNull,
  GraphQLObjectType,
  GraphQLScalarType,
  GraphQLSchema,
  GraphQLString,
} from 'graphql'
import type { Context } from '../../src/core/context.ts'
import { badInput } from '../../src/core/errors.ts'

type Field = GraphQLFieldConfig<unknown, Context>

/** Work that goes on until the test lets go of it, and what is known of it meanwhile. */
export class Work {
  readonly #waiting = new Set<() => void>()
  #changed = () => {}

  /** Resolves when `finish` is called. */
  wait(): Promise<void> {
    return new Promise(resolve => {
      this.#waiting.add(resolve)
      this.#changed()
    })
  }

  finish(): void {
    for (const resolve of this.#waiting) resolve()
    this.#waiting.clear()
  }

  /** Resolves when so much work is going on. */
  async begun(count = 1): Promise<void> {
    while (this.#waiting.size < count) {
      await new Promise<void>(resolve => {
        this.#changed = resolve
      })
    }
  }
}

/** A schema with a field for each way in which an operation can go, and no database. */
export function toySchema(work: Work = new Work()): { schema: GraphQLSchema; open: () => number } {
  let openStreams = 0

  const Color = new GraphQLEnumType({ name: 'Color', values: { CRIMSON: {}, TURQUOISE: {} } })
  const Even = new GraphQLScalarType({
    name: 'Even',
    parseValue(value) {
      if (typeof value === 'number' && value % 2 === 0) return value
      throw new GraphQLError('Even must be an even number.')
    },
  })
  const Paint = new GraphQLInputObjectType({
    name: 'Paint',
    fields: { color: { type: Color }, coats: { type: GraphQLInt } },
  })
  const Json = new GraphQLScalarType({ name: 'Json' })

  const Item: GraphQLObjectType = new GraphQLObjectType({
    name: 'Item',
    fields: () => ({
      secretName: { type: GraphQLString, resolve: () => 'x' },
      item: { type: Item, resolve: () => ({}) },
      items: {
        type: new GraphQLList(Item),
        args: { first: { type: GraphQLInt, defaultValue: 10 } },
        resolve: (_item, { first }) => Array.from({ length: first }, () => ({})),
        extensions: {
          complexity: ({ first }: { first: number }) => ({ field: 1, multiplier: first }),
        },
      },
    }),
  })

  const thrower = (error: () => unknown): Field => ({
    type: GraphQLString,
    resolve() {
      throw error()
    },
  })

  const Query = new GraphQLObjectType<unknown, Context>({
    name: 'Query',
    fields: {
      hello: { type: GraphQLString, resolve: () => 'world' },
      whoami: { type: GraphQLString, resolve: (_root, _args, { viewer }) => viewer?.login ?? null },
      add: {
        type: GraphQLInt,
        args: { a: { type: new GraphQLNonNull(GraphQLInt) }, b: { type: GraphQLInt } },
        resolve: (_root, { a, b = 0 }) => a + b,
      },
      paint: { type: Color, args: { with: { type: Paint } }, resolve: (_root, a) => a.with?.color },
      even: { type: GraphQLInt, args: { number: { type: Even } }, resolve: (_root, a) => a.number },
      echo: { type: Json, args: { json: { type: Json } }, resolve: (_root, { json }) => json },
      item: { type: Item, resolve: () => ({}) },
      wait: { type: GraphQLString, resolve: () => work.wait().then(() => 'done') },
      never: { type: GraphQLString, resolve: () => new Promise(() => {}) },
      broken: thrower(() => new Error('select password from users')),
      refused: thrower(() => badInput('The name is taken.', 'input.name')),
      invalidId: thrower(() => new PothosValidationError('Invalid global ID: x')),
      forbidden: thrower(() => new ForbiddenError('Not for you.')),
      graphqlBug: thrower(() => new GraphQLError('secret of a library')),
      unserialisable: { type: GraphQLInt, resolve: () => 'secret' },
      nothing: { type: new GraphQLNonNull(GraphQLFloat), resolve: () => null },
      fails: {
        type: GraphQLString,
        args: { how: { type: new GraphQLNonNull(GraphQLString) } },
        resolve(_root, { how }) {
          throw failures[how as keyof typeof failures]?.() ?? new Error(how)
        },
      },
    },
  })

  const Mutation = new GraphQLObjectType<unknown, Context>({
    name: 'Mutation',
    fields: {
      change: { type: GraphQLString, resolve: () => 'changed' },
      slowChange: { type: GraphQLString, resolve: () => work.wait().then(() => 'changed') },
    },
  })

  const stream = (source: () => AsyncIterable<unknown>): Field => ({
    type: GraphQLInt,
    subscribe: source,
    resolve: event => event,
  })

  const Subscription = new GraphQLObjectType<unknown, Context>({
    name: 'Subscription',
    fields: {
      countTo: {
        type: GraphQLInt,
        args: { end: { type: new GraphQLNonNull(GraphQLInt) } },
        async *subscribe(_root, { end }) {
          for (let number = 1; number <= end; number++) yield number
        },
        resolve: event => event as number,
      },
      /** Answers one event, then waits for a long time. */
      open: stream(() => {
        openStreams++
        let hasAnswered = false
        let leave = (_: IteratorResult<number>) => {}
        return {
          [Symbol.asyncIterator]: () => ({
            next() {
              if (hasAnswered) return new Promise(resolve => (leave = resolve))
              hasAnswered = true
              return Promise.resolve({ done: false, value: 1 })
            },
            return() {
              openStreams--
              leave({ done: true, value: undefined })
              return Promise.resolve({ done: true, value: undefined })
            },
          }),
        }
      }),
      breaks: stream(async function* () {
        yield 1
        throw new Error('select password from users')
      }),
      refuses: stream(() => {
        throw badInput('Not this one.', 'id')
      }),
    },
  })

  return {
    schema: new GraphQLSchema({ query: Query, mutation: Mutation, subscription: Subscription }),
    open: () => openStreams,
  }
}

const coded = (code: string, message: string, more: object = {}) =>
  Object.assign(new Error(message), { code, ...more })

/** Failures as pg and Prisma's adapter report them. */
export const failures = {
  refusedConnection: () => coded('ECONNREFUSED', 'connect ECONNREFUSED 10.0.0.5:5432'),
  lostConnection: () => new Error('Connection terminated unexpectedly'),
  exhaustedPool: () => new Error('timeout exceeded when trying to connect'),
  unreachableByPrisma: () =>
    coded('P2010', 'Raw query failed', {
      meta: { driverAdapterError: { cause: { kind: 'DatabaseNotReachable', host: '10.0.0.5' } } },
    }),
  slowStatementByPrisma: () =>
    coded('P2010', 'Raw query failed', {
      meta: {
        driverAdapterError: {
          cause: {
            kind: 'postgres',
            originalCode: '57014',
            originalMessage: 'canceling statement',
          },
        },
      },
    }),
  slowTransaction: () => coded('P2028', 'Transaction API error: expired transaction'),
  uniqueViolation: () =>
    coded('P2002', 'Unique constraint failed', {
      meta: { driverAdapterError: { cause: { constraint: { index: 'concepts_name_key' } } } },
    }),
} as const
