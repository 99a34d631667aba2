import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest'
import { graphql } from '../generated/gql.ts'
import { afterReading } from '../support/after-reading.ts'
import { type Api, startApi } from '../support/api.ts'
import { globalId, SeededRuns } from '../support/seeded-runs.ts'

let api: Api
beforeAll(async () => {
  api = await startApi()
})
afterAll(() => api.close())
afterEach(() => vi.restoreAllMocks())

it('a run that another worker claims while it is read keeps its process and what hangs on it', async () => {
  const seed = new SeededRuns(api)
  await api.signUp('ann')
  const worker = await api.signUp('robot', { kind: 'WORKER' })
  const run = await seed.run(await seed.process('search'), { by: 'ann' })
  const stepId = await seed.step(run, 'fetch')
  await seed.artifact(run, 'text')
  await seed.happen(
    run,
    { type: 'status', from: null, to: 'queued', errorText: null },
    { type: 'step', stepId, stepKey: 'fetch', from: null, to: 'running', errorText: null },
  )
  afterReading(api.db.pool, /from process_runs r/, () =>
    api.db.pool.query(
      `update process_runs set status = 'running', claimed_by = requested_by,
        lease_hash = repeat('0', 64), lease_expires_at = now() + '1 minute'`,
    ),
  )
  const { runs } = await worker.run(
    graphql(`
      query RunsWhileClaiming {
        runs {
          edges {
            node {
              status
              process { code }
              steps { stepKey run { status } }
              artifacts { edges { node { content run { id } } } }
              events { run { id } ... on RunStepChanged { step { stepKey } } }
            }
          }
        }
      }
    `),
  )
  expect(runs.edges).toEqual([
    {
      node: {
        status: 'QUEUED',
        process: { code: 'search' },
        steps: [{ stepKey: 'fetch', run: { status: 'RUNNING' } }],
        artifacts: { edges: [{ node: { content: 'text', run: { id: globalId.run(run) } } }] },
        events: [
          { run: { id: globalId.run(run) } },
          { run: { id: globalId.run(run) }, step: { stepKey: 'fetch' } },
        ],
      },
    },
  ])
})
