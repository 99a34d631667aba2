import { writeFileSync } from 'node:fs'
import { printedSchema } from './printed-schema.ts'

writeFileSync('schema.graphql', printedSchema())
