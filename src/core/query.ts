import pg from 'pg'
import type { Prisma } from '../generated/prisma/client.ts'
import type { Sql } from './sql.ts'

/** A transaction of Prisma's, in which our own statements can run too. */
export type Tx = Prisma.TransactionClient

/** What can run a statement: the pool, one connection of it, or a transaction. */
export type Queryable = Pick<pg.Pool, 'query'> | Tx

/** Rows with int8 as bigint and timestamptz as Date, as Prisma's own reads give them. */
export async function query<Row>(on: Queryable, statement: Sql): Promise<Row[]> {
  if ('$queryRawUnsafe' in on) return on.$queryRawUnsafe(statement.text, ...statement.values)
  const { rows } = await on.query({ text: statement.text, values: [...statement.values], types })
  return rows
}

const int8Array = 1016
// Prisma's adapter brings type parsers of its own, so these hold for our statements alone.
const types: pg.CustomTypesConfig = {
  getTypeParser(oid, format) {
    if (oid === pg.types.builtins.INT8) return BigInt
    if ((oid as number) === int8Array) return parseInt8Array
    return pg.types.getTypeParser(oid as number, format as 'text')
  },
}

const parseInt8Array = (text: string) =>
  text === '{}' ? [] : text.slice(1, -1).split(',').map(BigInt)
