import { StartupError } from '../startup-error.ts'
import type { Migration } from './migration-files.ts'

/** A row of Prisma's `_prisma_migrations`. */
export interface MigrationRecord {
  migration_name: string
  checksum: string
  logs: string | null
  finished_at: Date | null
  rolled_back_at: Date | null
}

export interface MigrationStatus {
  applied: string[]
  /** Known to this code, not yet in the database. */
  pending: string[]
  /** In the database, not known to this code: the database is newer. */
  unknown: string[]
}

export function statusOf(
  known: readonly string[],
  records: readonly MigrationRecord[],
): MigrationStatus {
  const applied = records.filter(isApplied).map(record => record.migration_name)
  return {
    applied,
    pending: known.filter(name => !applied.includes(name)),
    unknown: applied.filter(name => !known.includes(name)),
  }
}

/** Refuses a history on which this code cannot build. */
export function checkHistory(
  known: readonly Migration[],
  records: readonly MigrationRecord[],
): MigrationStatus {
  const status = statusOf(
    known.map(migration => migration.name),
    records,
  )
  if (status.unknown.length > 0) {
    throw new StartupError(
      `The database is newer than this version of Engraph: it has the migration ${status.unknown.join(', ')}, which is unknown here. Start a version that has it.`,
    )
  }
  for (const record of records) {
    if (record.finished_at === null && record.rolled_back_at === null) {
      throw new StartupError(
        `The migration ${record.migration_name} was begun on this database and not finished${reason(record)}. Repair the schema or restore a backup, then delete its row from _prisma_migrations.`,
      )
    }
  }
  for (const { name, checksum } of known) {
    const record = records.find(record => record.migration_name === name && isApplied(record))
    if (record !== undefined && record.checksum !== checksum) {
      throw new StartupError(
        `The migration ${name} was edited after this database had applied it. Restore its file, and put the change into a new migration.`,
      )
    }
  }
  return status
}

const isApplied = (record: MigrationRecord) =>
  record.finished_at !== null && record.rolled_back_at === null

const reason = ({ logs }: MigrationRecord) =>
  logs ? ` (${logs.trim().replaceAll(/\s+/g, ' ').slice(0, 300)})` : ''
