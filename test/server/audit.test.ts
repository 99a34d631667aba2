import { auditServer } from 'graphql-http'
import { expect, onTestFinished, test } from 'vitest'
import { startApi } from '../support/api.ts'

test('the server passes all 61 audits of the GraphQL over HTTP specification', async () => {
  const { url, close } = await startApi()
  onTestFinished(close)
  const results = await auditServer({ url })
  expect(results.filter(({ status }) => status !== 'ok')).toEqual([])
  expect(results).toHaveLength(61)
})
