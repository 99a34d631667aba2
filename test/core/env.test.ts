import pg from 'pg'
import { expect, test } from 'vitest'
import { readEnv } from '../../src/core/env.ts'

const refusal = (source: NodeJS.ProcessEnv) => {
  try {
    readEnv(source)
  } catch (error) {
    return (error as Error).message
  }
  return undefined
}

test('an empty environment is a working configuration that is open to this machine only', () => {
  expect(readEnv({})).toMatchObject({
    HOST: '127.0.0.1',
    PORT: 4000,
    DATA_DIR: '.engraph',
    LOG_LEVEL: 'info',
    INTROSPECTION: 'on',
    METRICS: 'on',
    GRAPHIQL: true,
    CORS_ORIGINS: [],
  })
})

test.each(['', ' '])('a variable of %j counts as not set', value => {
  expect(readEnv({ PORT: value, DATABASE_URL: value, LOG_LEVEL: value }).PORT).toBe(4000)
})

test('on an address that others can reach, introspection and metrics need a token', () => {
  expect(readEnv({ HOST: '0.0.0.0' })).toMatchObject({ INTROSPECTION: 'viewers', METRICS: 'admin' })
  expect(readEnv({ HOST: '::1' })).toMatchObject({ INTROSPECTION: 'on', METRICS: 'on' })
  expect(readEnv({ HOST: '0.0.0.0', INTROSPECTION: 'on' }).INTROSPECTION).toBe('on')
})

test.each([
  [{ PORT: '70000' }, 'PORT must be a whole number from 0 to 65535, not "70000"'],
  [{ PORT: '4e3' }, 'PORT must be a whole number from 0 to 65535, not "4e3"'],
  [{ MAX_DEPTH: '-1' }, 'MAX_DEPTH must be a whole number from 1 to 100, not "-1"'],
  [
    { LOG_LEVEL: 'loud' },
    'LOG_LEVEL must be one of trace, debug, info, warn, error, fatal, silent, not "loud"',
  ],
  [{ GRAPHIQL: 'yes' }, 'GRAPHIQL must be on or off, not "yes"'],
  [
    { CORS_ORIGINS: 'https://a.example/path' },
    'CORS_ORIGINS must be origins such as https://app.example.com, separated by commas, or *, not "https://a.example/path"',
  ],
])('%o is refused in one line that names the variable and what it may be', (source, line) => {
  expect(refusal(source)).toBe(line)
})

test('every wrong variable gets a line of its own', () => {
  expect(refusal({ PORT: 'x', MAX_TOKENS: 'y' })?.split('\n')).toHaveLength(2)
})

test('the value of a wrong secret is not repeated', () => {
  const message = refusal({ DATABASE_URL: 'mysql://root:hunter2@db/x', JWT_SECRET: 'hunter2' })
  expect(message).toMatch(/DATABASE_URL must be.*\n.*JWT_SECRET must be/)
  expect(message).not.toContain('hunter2')
})

test.each([
  [
    'postgresql://u:p@h:5433/db',
    { user: 'u', password: 'p', host: 'h', port: 5433, database: 'db' },
  ],
  [
    'postgresql://u:p@/db?host=/run/pg',
    { user: 'u', password: 'p', host: '/run/pg', database: 'db' },
  ],
  ['postgresql://u@/db?host=h&port=5433', { user: 'u', host: 'h', port: 5433, database: 'db' }],
  ['postgresql:///db?host=/run/pg&user=u', { user: 'u', host: '/run/pg', database: 'db' }],
  ['postgres://u@%2Frun%2Fpg/db', { user: 'u', host: '/run/pg', database: 'db' }],
  ['postgres://u:p%40%2F@[::1]/db', { password: 'p@/', host: '::1', database: 'db' }],
  ['socket://u:p@/run/pg?db=db', { user: 'u', password: 'p', host: '/run/pg', database: 'db' }],
])('a database at %s is found there, by a URL that can be added to', (given, where) => {
  const { DATABASE_URL = '' } = readEnv({ DATABASE_URL: given })
  const url = new URL(DATABASE_URL)
  url.searchParams.set('options', '-c TimeZone=UTC')
  const options = '-c TimeZone=UTC'
  expect(new pg.Client(url.href)).toMatchObject({ ...where, connectionParameters: { options } })
})

test.each(['postgresql://h1:5432,h2:5432/db', 'postgresql://u:p#x@h/db', 'h/db', '/run/pg db'])(
  'a database at %s is refused in one line that says what is understood',
  url => {
    expect(refusal({ DATABASE_URL: url })).toBe(
      'DATABASE_URL must be the URL of one host, such as postgresql://user:password@host:5432/database, with %-codes for special characters',
    )
  },
)

test('a JWT is verified by a secret or by keys at a URL, not by both', () => {
  const source = { JWT_SECRET: 's'.repeat(32), JWKS_URL: 'https://id.example/keys' }
  expect(refusal(source)).toContain('JWT_SECRET and JWKS_URL exclude each other')
})

test('origins may be listed with spaces and trailing slashes', () => {
  expect(
    readEnv({ CORS_ORIGINS: 'https://a.example/, http://b.example:3000' }).CORS_ORIGINS,
  ).toEqual(['https://a.example', 'http://b.example:3000'])
})
