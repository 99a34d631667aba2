import { isIP } from 'node:net'
import { z } from 'zod'
import { StartupError } from './startup-error.ts'

export type Env = z.infer<typeof schema>

/**
 * Reads the whole configuration. An empty value is one that is not set.
 * @throws StartupError with a line for each variable that is wrong, and no value of a secret in it
 */
export function readEnv(source: NodeJS.ProcessEnv = process.env): Env {
  const given = Object.entries(source).filter(([, value]) => value?.trim())
  const result = schema.safeParse(Object.fromEntries(given))
  if (result.success) return result.data
  throw new StartupError(result.error.issues.map(issue => issue.message).join('\n'))
}

const isLoopback = (host: string) =>
  host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'))

const second = 1_000
const minute = 60 * second
const MiB = 1 << 20

/** A value of one variable; `secret` keeps a wrong one out of the message. */
function variable<Out>(
  name: string,
  expected: string,
  read: (text: string) => Out | undefined,
  secret = false,
) {
  return z.string().transform((text, context): Out => {
    const value = read(text.trim())
    if (value !== undefined) return value
    const message = `${name} must be ${expected}${secret ? '' : `, not ${JSON.stringify(text)}`}`
    context.addIssue({ code: 'custom', message })
    return z.NEVER
  })
}

const integer = (name: string, fallback: number, min: number, max: number) =>
  variable(name, `a whole number from ${min} to ${max}`, text => {
    const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN
    return value >= min && value <= max ? value : undefined
  }).default(fallback)

const oneOf = <const Choice extends string>(name: string, choices: readonly Choice[]) =>
  variable(name, `one of ${choices.join(', ')}`, text => choices.find(choice => choice === text))

const isOn = (name: string) =>
  variable(name, 'on or off', text =>
    text === 'on' || text === 'off' ? text === 'on' : undefined,
  ).default(true)

function readUrl(text: string, ...protocols: string[]): string | undefined {
  return URL.canParse(text) && protocols.includes(new URL(text).protocol) ? text : undefined
}

const httpUrl = (name: string) =>
  variable(name, 'an http or https URL', text => readUrl(text, 'http:', 'https:'))

/**
 * Without a host between user and path, as it is written for a socket (`user@/db?host=/run`), it is
 * no URL by the standard. The driver puts a host there that `host` outranks; so do we.
 */
const readDatabaseUrl = (text: string) =>
  [text, text.replace('@/', '@localhost/')].find(url =>
    readUrl(url, 'postgres:', 'postgresql:', 'socket:'),
  )

/** An origin as a browser sends it: scheme, host and port, and nothing after them. */
function readOrigins(text: string): string[] | undefined {
  const origins = text
    .split(',')
    .map(origin => origin.trim().replace(/\/$/, ''))
    .filter(Boolean)
  const valid = origins.every(
    origin => origin === '*' || (URL.canParse(origin) && new URL(origin).origin === origin),
  )
  return valid ? origins : undefined
}

const schema = z
  .object({
    DATABASE_URL: variable(
      'DATABASE_URL',
      'the URL of one host, such as postgresql://user:password@host:5432/database, with %-codes for special characters',
      readDatabaseUrl,
      true,
    ).optional(),
    DB_CONNECTIONS: integer('DB_CONNECTIONS', 16, 2, 1_000),
    DATA_DIR: z.string().default('.engraph'),
    REDIS_URL: variable(
      'REDIS_URL',
      'a redis or rediss URL',
      text => readUrl(text, 'redis:', 'rediss:'),
      true,
    ).optional(),
    CHANGES_KEPT_HOURS: integer('CHANGES_KEPT_HOURS', 168, 1, 876_000),

    EXECUTOR: isOn('EXECUTOR'),
    EXECUTOR_CONCURRENCY: integer('EXECUTOR_CONCURRENCY', 4, 1, 100),
    EXECUTOR_LEASE_SECONDS: integer('EXECUTOR_LEASE_SECONDS', 30, 5, 3_600),
    OLLAMA_URL: httpUrl('OLLAMA_URL').optional(),
    OPENAI_URL: httpUrl('OPENAI_URL').optional(),
    OPENAI_API_KEY: z.string().optional(),
    LLM_TIMEOUT_MS: integer('LLM_TIMEOUT_MS', 10 * minute, 10, 24 * 60 * minute),
    N8N_BASE_URL: httpUrl('N8N_BASE_URL').optional(),
    N8N_API_KEY: z.string().optional(),
    PUBLIC_URL: httpUrl('PUBLIC_URL').optional(),
    SCHEDULES: isOn('SCHEDULES'),
    ENGRAPH_URL: httpUrl('ENGRAPH_URL').optional(),
    ENGRAPH_TOKEN: z.string().optional(),

    HOST: z.string().default('127.0.0.1'),
    PORT: integer('PORT', 4000, 0, 65_535),
    LOG_LEVEL: oneOf('LOG_LEVEL', [
      'trace',
      'debug',
      'info',
      'warn',
      'error',
      'fatal',
      'silent',
    ]).default('info'),
    LOG_FORMAT: oneOf('LOG_FORMAT', ['auto', 'json', 'pretty']).default('auto'),

    JWT_SECRET: variable(
      'JWT_SECRET',
      'at least 32 characters long',
      text => (text.length >= 32 ? text : undefined),
      true,
    ).optional(),
    JWKS_URL: httpUrl('JWKS_URL').optional(),
    JWT_ISSUER: z.string().optional(),
    JWT_AUDIENCE: z.string().optional(),

    GRAPHIQL: isOn('GRAPHIQL'),
    INTROSPECTION: oneOf('INTROSPECTION', ['on', 'viewers', 'off']).optional(),
    METRICS: oneOf('METRICS', ['on', 'admin', 'off']).optional(),
    CORS_ORIGINS: variable(
      'CORS_ORIGINS',
      'origins such as https://app.example.com, separated by commas, or *',
      readOrigins,
    ).default([]),

    MAX_BODY_BYTES: integer('MAX_BODY_BYTES', 4 * MiB, 1_024, 256 * MiB),
    MAX_FRAME_BYTES: integer('MAX_FRAME_BYTES', 4 * MiB, 1_024, 256 * MiB),
    MAX_TOKENS: integer('MAX_TOKENS', 10_000, 100, 100_000),
    MAX_DEPTH: integer('MAX_DEPTH', 15, 1, 100),
    MAX_NESTING: integer('MAX_NESTING', 100, 50, 1_000),
    MAX_ALIASES: integer('MAX_ALIASES', 50, 0, 10_000),
    MAX_DIRECTIVES: integer('MAX_DIRECTIVES', 50, 0, 10_000),
    MAX_COMPLEXITY: integer('MAX_COMPLEXITY', 30_000, 1, 1_000_000_000),
    MAX_OPERATIONS_PER_VIEWER: integer('MAX_OPERATIONS_PER_VIEWER', 200, 1, 1_000_000),
    MAX_OPERATIONS_PER_SOCKET: integer('MAX_OPERATIONS_PER_SOCKET', 100, 1, 1_000_000),
    MAX_SOCKETS_PER_VIEWER: integer('MAX_SOCKETS_PER_VIEWER', 50, 1, 1_000_000),
    MAX_CONNECTIONS: integer('MAX_CONNECTIONS', 10_000, 1, 1_000_000),

    HEADERS_TIMEOUT_MS: integer('HEADERS_TIMEOUT_MS', 10 * second, 10, 10 * minute),
    REQUEST_TIMEOUT_MS: integer('REQUEST_TIMEOUT_MS', 30 * second, 10, 60 * minute),
    OPERATION_TIMEOUT_MS: integer('OPERATION_TIMEOUT_MS', 30 * second, 10, 60 * minute),
    SOCKET_INIT_TIMEOUT_MS: integer('SOCKET_INIT_TIMEOUT_MS', 5 * second, 10, 10 * minute),
    SOCKET_PING_MS: integer('SOCKET_PING_MS', 12 * second, 10, 10 * minute),
    SHUTDOWN_TIMEOUT_MS: integer('SHUTDOWN_TIMEOUT_MS', 10 * second, 0, 10 * minute),
  })
  .superRefine((env, context) => {
    if (env.JWT_SECRET && env.JWKS_URL) {
      const message =
        'JWT_SECRET and JWKS_URL exclude each other: set the one that signs the tokens'
      context.addIssue({ code: 'custom', message })
    }
  })
  .transform(env => {
    const local = isLoopback(env.HOST)
    return {
      ...env,
      // What tells a stranger about the server is open only where no stranger can connect.
      INTROSPECTION: env.INTROSPECTION ?? (local ? 'on' : 'viewers'),
      METRICS: env.METRICS ?? (local ? 'on' : 'admin'),
    }
  })
