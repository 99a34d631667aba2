import { pino } from 'pino'
import { expect, it, onTestFinished } from 'vitest'
import { startApp } from '../../src/app.ts'
import { readEnv } from '../../src/core/env.ts'
import { graphql } from '../generated/gql.ts'
import { clientOf } from '../support/client.ts'
import { withClient } from '../support/databases.ts'
import { answered, startFakeN8n } from '../support/fake-n8n.ts'
import { sendLines, startModelServer } from '../support/model-server.ts'
import { CreateProcess, Start } from '../support/run-commands.ts'
import { createTestDatabase } from '../support/test-database.ts'
import { spoken } from './executed.ts'

const Run = graphql(`
  query ServedRun($id: ID!) {
    run(id: $id) { status resultPayload worker explanation { summary prompt } }
  }
`)
const Scheduled = graphql(`
  query ServedSchedule { runs(filter: { processCodes: ["tick"] }) { totalCount } }
`)

/** The server as it is started, beside a server with models and n8n. */
async function serve() {
  const [models, n8n, database] = await Promise.all([
    startModelServer(),
    startFakeN8n(),
    createTestDatabase(),
  ])
  for (const part of [models, n8n, database]) onTestFinished(() => part.close())
  const env = readEnv({
    PORT: '0',
    DATABASE_URL: database.url,
    OLLAMA_URL: models.url,
    N8N_BASE_URL: n8n.url,
  })
  const app = await startApp(env, pino({ level: 'silent' }))
  onTestFinished(() => app.close())
  if (app.firstToken === null) throw new Error('there was no first token')
  return { app, models, n8n, databaseUrl: database.url, admin: clientOf(app.url, app.firstToken) }
}

it('a server that knows models, n8n and schedules runs its processes by itself, and stops in the midst of it', async () => {
  const { app, models, n8n, admin, databaseUrl } = await serve()
  models.answer = (res, { body }) => {
    if (body.includes('slow'))
      res.writeHead(200, { 'content-type': 'application/x-ndjson' }).flushHeaders()
    else sendLines(res, ...spoken('Hello'))
  }
  n8n.webhook = (res, { callback }) => {
    answered(res, {})
    const headers = { authorization: `Bearer ${callback.token}` }
    const body = JSON.stringify({ type: 'end', status: 'SUCCEEDED', result: 'from n8n' })
    void fetch(callback.url, { method: 'POST', headers, body })
  }
  const active = { name: 'x', status: 'ACTIVE' } as const
  const prompted = { ...active, promptTemplate: '{{input_text}}', defaultModel: 'qwen3' }
  const schedule = { cron: '* * * * * *', overlap: 'queue' }
  for (const input of [
    { code: 'prompt', ...prompted },
    { code: 'flow', ...active, n8nWebhookPath: 'flow' },
    { code: 'tick', ...active, autoRun: true, metadata: { schedule } },
  ]) {
    await admin.run(CreateProcess, { input })
  }
  const start = async (processCode: string, inputText: string) =>
    (await admin.run(Start, { input: { processCode, inputText } })).startRun.id
  const read = async (id: string) => (await admin.run(Run, { id })).run
  const [quick, flow] = [await start('prompt', 'quick'), await start('flow', 'x')]
  const patience = { timeout: 15_000 }
  await expect.poll(async () => (await read(quick))?.status, patience).toBe('SUCCEEDED')
  expect(await read(quick)).toMatchObject({
    resultPayload: 'Hello',
    explanation: { prompt: 'quick' },
  })
  expect((await read(quick))?.worker).toMatch(/^executor /)
  await expect.poll(async () => (await read(flow))?.resultPayload, patience).toBe('from n8n')
  await expect
    .poll(async () => (await admin.run(Scheduled)).runs.totalCount, patience)
    .toBeGreaterThan(1)
  const slow = await start('prompt', 'slow')
  await expect.poll(async () => (await read(slow))?.status, patience).toBe('RUNNING')
  await expect
    .poll(() => models.asked.some(({ body }) => body.includes('slow')), patience)
    .toBe(true)
  await app.close()
  const { rows } = await withClient(databaseUrl, client =>
    client.query(`select status, error_text from process_runs where input_text = 'slow'`),
  )
  expect(rows).toEqual([{ status: 'failed', error_text: 'The executor was stopped.' }])
}, 60_000)
