import { createHash } from 'node:crypto'
import { byId } from '../core/by-id.ts'
import type { Caller } from '../core/context.ts'
import { query } from '../core/query.ts'
import { raw, sql } from '../core/sql.ts'
import type { Player } from '../generated/prisma/client.ts'
import { playerColumns } from './identity.sql.ts'

/** The name by which messages know a user, an LLM or the system, for ever. */
export const playerHash = (kind: 'user' | 'llm', id: string) =>
  createHash('sha256').update(`engraph:${kind}:${id}`).digest('hex')

const players = (caller: Caller, key: string, keyType: 'bpchar' | 'text' | 'uuid') =>
  byId<string, Player>(caller, {
    name: `player by ${key}`,
    columns: playerColumns,
    from: raw('core.players p'),
    key: raw(key),
    keyType,
    visible: raw('true'),
  })

/** Null for a hash that nobody has. Whoever has signed in may know whom a hash stands for. */
export const playerByHash = (caller: Caller, hash: string): Promise<Player | null> =>
  players(caller, 'p.hash', 'bpchar').load(hash)

/** The player of a user whom the viewer sees already; each has one from its creation on. */
export const playerOfUser = (caller: Caller, userId: string) =>
  required(players(caller, 'p.user_id', 'uuid').load(userId))

export const playerOfLlm = (caller: Caller, llmId: string) =>
  required(players(caller, 'p.llm_id', 'text').load(llmId))

async function required(player: Promise<Player | null>): Promise<Player> {
  const found = await player
  if (!found) throw new Error('a user or an LLM has no player')
  return found
}

/** The display name of a user or an LLM, which those who converse with it may know. */
export async function playerName({ db, loaders }: Caller, hash: string): Promise<string> {
  const names = loaders.use('player name', async (hashes: readonly string[]) => {
    const rows = await query<{ hash: string; name: string }>(
      db.pool,
      sql`select p.hash, coalesce(u.display_name, l.name, 'system') as name
        from core.players p
        left join core.users u on u.id = p.user_id
        left join llm_registry l on l.id = p.llm_id
        where p.hash = any(${hashes}::text[]::bpchar[])`,
    )
    const found = new Map(rows.map(row => [row.hash, row.name]))
    return hashes.map(wanted => found.get(wanted) ?? '')
  })
  return names.load(hash)
}
