import { lexicographicSortSchema, printSchema } from 'graphql'
import { schema } from './schema.ts'

/** The schema in SDL, sorted so that a change shows in one place, as schema.graphql commits it. */
export const printedSchema = () => `${printSchema(lexicographicSortSchema(schema))}\n`
