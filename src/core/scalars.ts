import { GraphQLError, GraphQLScalarType, Kind, type ValueNode } from 'graphql'
import type { Json } from './json.ts'
import { notHeld, unheldNumber } from './json-text.ts'

const wrong = (message: string, node?: ValueNode) => new GraphQLError(message, { nodes: node })

/** A scalar whose values travel as strings; `read` throws what is wrong with one. */
function stringScalar<Value>(options: {
  name: string
  description: string
  specifiedByURL?: string
  read(text: string): Value
  write(value: unknown): string
}): GraphQLScalarType<Value, string> {
  const { name, read, write, ...config } = options
  const parse = (text: unknown, node?: ValueNode) => {
    if (typeof text !== 'string') throw wrong(`${name} must be a string.`, node)
    try {
      return read(text)
    } catch (error) {
      throw wrong((error as Error).message, node)
    }
  }
  return new GraphQLScalarType<Value, string>({
    ...config,
    name,
    serialize: write,
    parseValue: value => parse(value),
    parseLiteral: node => parse(node.kind === Kind.STRING ? node.value : undefined, node),
  })
}

// RFC 3339, section 5.6. The offset is required: a time without one is another instant elsewhere.
const dateTime = /^(\d{4})-(\d\d)-(\d\d)[Tt]\d\d:\d\d:\d\d(\.\d{1,9})?([Zz]|[+-]\d\d:\d\d)$/

function readDateTime(text: string): Date {
  const match = dateTime.exec(text)
  const date = new Date(match ? text.toUpperCase() : Number.NaN)
  if (!match || Number.isNaN(date.getTime())) {
    throw new Error(
      'DateTime must be RFC 3339 with an offset, such as 2026-01-31T12:00:00Z or 2026-01-31T13:00:00+01:00.',
    )
  }
  // Date rolls 31 June over to 1 July in silence.
  const [, year, month, day] = match.map(Number)
  const lastDay = new Date(Date.UTC(year ?? 0, month ?? 0, 0)).getUTCDate()
  // PostgreSQL counts no year 0, and RFC 3339 none after 9999, in UTC as in the given offset.
  if (date.getUTCFullYear() < 1 || date.getUTCFullYear() > 9999) {
    throw new Error(`DateTime must be of the years 1 to 9999: ${text}`)
  }
  if ((day ?? 0) > lastDay)
    throw new Error(`DateTime names a day that month does not have: ${text}`)
  return date
}

export const DateTimeScalar = stringScalar<Date>({
  name: 'DateTime',
  description:
    'An instant. Answers are in UTC with milliseconds, as 2026-01-31T12:00:00.000Z. Input is RFC 3339 and must have an offset; what is finer than a millisecond is cut off.',
  specifiedByURL: 'https://www.rfc-editor.org/rfc/rfc3339',
  read: readDateTime,
  write: value => (value as Date).toISOString(),
})

export const HashScalar = stringScalar<string>({
  name: 'Hash',
  description: 'A SHA-256 in 64 lower-case hexadecimal digits.',
  read(text) {
    if (!/^[0-9a-f]{64}$/.test(text)) {
      throw new Error('Hash must be 64 lower-case hexadecimal digits.')
    }
    return text
  },
  write: value => value as string,
})

export const CursorScalar = stringScalar<string>({
  name: 'Cursor',
  description:
    'A place in the feed of changes, to go on from. Opaque, and good for every feed of this database, for as long as the changes behind it are kept.',
  read: text => text,
  write: value => value as string,
})

/** A variable inside a literal has been read already, a DateTime into a Date. */
const plain = (value: unknown): Json | undefined =>
  value === undefined ? undefined : JSON.parse(JSON.stringify(value))

type Variables = Readonly<Record<string, unknown>> | null | undefined

/** Undefined for a variable that was not given. */
function readJson(node: ValueNode, variables: Variables): Json | undefined {
  switch (node.kind) {
    case Kind.NULL:
      return null
    case Kind.STRING:
    case Kind.BOOLEAN:
      return node.value
    case Kind.INT:
    case Kind.FLOAT:
      if (unheldNumber(node.value) === undefined) return Number(node.value)
      throw wrong(`JSON ${notHeld(node.value)}`, node)
    case Kind.ENUM:
      throw wrong(`JSON has no enum values: write "${node.value}" as a string.`, node)
    case Kind.VARIABLE:
      return plain(variables?.[node.name.value])
    case Kind.LIST:
      return node.values.map(item => readJson(item, variables) ?? null)
    case Kind.OBJECT:
      // Makes own members even of names such as __proto__.
      return Object.fromEntries(
        node.fields.flatMap(({ name, value }) => {
          const member = readJson(value, variables)
          return member === undefined ? [] : [[name.value, member]]
        }),
      )
  }
}

export const JsonScalar = new GraphQLScalarType<Json, Json>({
  name: 'JSON',
  description:
    'Any JSON value. Input with a number that JavaScript would change is refused, such as 9007199254740993, 1e400 or -0: it can be sent as a string.',
  specifiedByURL: 'https://www.rfc-editor.org/rfc/rfc8259',
  parseValue: value => value as Json,
  parseLiteral: (node, variables) => readJson(node, variables) ?? null,
})
