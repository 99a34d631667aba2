import type pg from 'pg'
import { StartupError } from './startup-error.ts'

/**
 * What the code counts on, and a database or a role may have set otherwise: how values are read and
 * written, where names are looked up, and what a transaction is. Prisma's adapter, for one, shifts
 * every timestamp by the difference to UTC, in silence.
 */
const required: Record<string, string> = {
  TimeZone: 'UTC',
  DateStyle: 'ISO, MDY',
  IntervalStyle: 'postgres',
  extra_float_digits: '1',
  bytea_output: 'hex',
  array_nulls: 'on',
  standard_conforming_strings: 'on',
  search_path: 'public',
  default_transaction_isolation: 'read committed',
  default_transaction_read_only: 'off',
  default_transaction_deferrable: 'off',
  gin_fuzzy_search_limit: '0',
}

const preferred: Record<string, string> = {
  // JIT costs more than it saves on the short statements of this server.
  jit: 'off',
  // A name is alike from half of its trigrams on, so that a word with one letter wrong is found.
  'pg_trgm.word_similarity_threshold': '0.5',
  // A transaction whose process hangs must not keep its locks for ever.
  idle_in_transaction_session_timeout: '60000',
  // The server has limits of its own for how long a statement may wait.
  lock_timeout: '0',
  // Stop words in a search are worth no notice.
  client_min_messages: 'warning',
}

/**
 * The URL with the settings of a session, which outrank those of the database and the role. Options
 * that the URL has already come later, and so outrank these.
 */
export function withSessionSettings(url: string, statementTimeoutMs = 0): string {
  const parsed = new URL(url)
  const settings = { ...required, ...preferred, statement_timeout: String(statementTimeoutMs) }
  const options = Object.entries(settings).map(
    ([name, value]) => `-c ${name}=${value.replaceAll(' ', '\\ ')}`,
  )
  const given = parsed.searchParams.get('options')
  parsed.searchParams.set('options', [...options, given].filter(Boolean).join(' '))
  return parsed.href
}

/** @throws StartupError for a session that runs under other settings, or a database not in UTF-8 */
export async function checkSession(on: Pick<pg.Pool | pg.Client, 'query'>): Promise<void> {
  const { rows } = await on.query<{ name: string; setting: string }>(
    `select name, current_setting(name) as setting
     from unnest($1::text[]) with ordinality as asked(name, place) order by place`,
    [['server_encoding', ...Object.keys(required)]],
  )
  const encoding = rows.shift()?.setting
  if (encoding !== 'UTF8') {
    throw new StartupError(
      `The database keeps text as ${encoding}, which does not have every letter: give Engraph a database with ENCODING 'UTF8'.`,
    )
  }
  const wrong = rows.filter(({ name, setting }) => setting !== required[name])
  if (wrong.length === 0) return
  const settings = wrong.map(({ name, setting }) => `${name} ${setting}, not ${required[name]}`)
  throw new StartupError(
    `The database's sessions have ${settings.join('; ')}: take this out of the options of DATABASE_URL, or let the connection pooler pass on the start-up options.`,
  )
}
