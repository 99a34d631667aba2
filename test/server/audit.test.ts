import { auditServer } from 'graphql-http'
import { expect, test } from 'vitest'
import { startToyServer } from '../support/raw-server.ts'

test('the server passes all 61 audits of the GraphQL over HTTP specification', async () => {
  const { url } = await startToyServer()
  const results = await auditServer({ url })
  expect(results.filter(({ status }) => status !== 'ok')).toEqual([])
  expect(results).toHaveLength(61)
})
