import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { RunStatus, StepStatus } from '../../src/generated/prisma/client.ts'
import { canBecome, hasEnded, stepVerdict } from '../../src/processes/transitions.ts'
import { outage } from '../../src/server/outage.ts'
import { type Api, startApi } from '../support/api.ts'
import { Finish, keyOf, RunCommands } from '../support/run-commands.ts'

let api: Api
let commands: RunCommands
beforeAll(async () => {
  api = await startApi()
  commands = await RunCommands.open(api)
})
afterAll(() => api.close())

const runStatuses = Object.values(RunStatus)
const pairs = runStatuses.flatMap(from => runStatuses.map(to => ({ from, to })))
const stepStatus = fc.constantFrom(...Object.values(StepStatus))

/** The ways from the queue, by which a run can be brought into each status. */
const ways: Record<RunStatus, readonly RunStatus[]> = {
  queued: [],
  running: ['running'],
  waiting_user: ['running', 'waiting_user'],
  succeeded: ['running', 'succeeded'],
  degraded: ['running', 'degraded'],
  failed: ['failed'],
  cancelled: ['cancelled'],
}

const write = (id: string, status: RunStatus) =>
  api.db.pool.query(
    `update process_runs set status = $2::text::run_status, deadline_at = null,
      finished_at = case when $3 then coalesce(finished_at, now()) end where id = $1`,
    [keyOf(id), status, hasEnded(status)],
  )

describe('the database', () => {
  it.each(pairs.filter(({ from, to }) => from !== to))(
    'lets a run that is $from become $to where the table does, whoever writes',
    async ({ from, to }) => {
      const { code } = await commands.process()
      const { id } = await commands.start(code)
      for (const status of ways[from]) await write(id, status)
      const error = await write(id, to).then(
        () => null,
        (reason: unknown) => reason,
      )
      if (canBecome(from, to)) expect(error).toBeNull()
      else expect(outage(error)?.code).toBe('ILLEGAL_TRANSITION')
      expect((await commands.read(id)).status).toBe((error ? from : to).toUpperCase())
    },
  )

  it('keeps the end of a run as it is', async () => {
    const { id, lease } = await commands.held()
    await commands.worker.run(Finish, { lease, status: 'SUCCEEDED', result: 1 })
    const changed = api.db.pool.query(`update process_runs set error_text = 'no' where id = $1`, [
      keyOf(id),
    ])
    await expect(changed).rejects.toMatchObject({ code: 'EG001' })
  })
})

describe('a step', () => {
  it('once finished stays as it is, whatever is reported', () => {
    fc.assert(
      fc.property(fc.array(stepStatus), reports => {
        let status: StepStatus | null = null
        let end: StepStatus | null = null
        for (const report of reports) {
          const verdict = stepVerdict(status, report)
          if (verdict === 'written') status = report
          if (end !== null) expect(verdict).not.toBe('written')
          if (status !== 'queued' && status !== 'running') end = status
          if (end === 'succeeded' || end === 'failed') expect(reports).toContain('running')
        }
      }),
    )
  })
})
