import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { graphql } from '../../generated/gql.ts'
import type { Client } from '../../support/client.ts'
import type { ApiMove, SqlMove } from './plan.ts'

const withChanges = `
  with run as (
    update process_runs set last_seq = last_seq + $2 where id = $1 returning id, process_id, status, last_seq)
  insert into core.changes (topic, subject, seq, payload)
  select 'run', id::text, last_seq - $2 + n, jsonb_build_object('type', 'result', 'partialResult', n,
    'late', false, 'processId', process_id, 'requestedById', null, 'chatId', null, 'status', status)
  from run, generate_series(1, $2::int) n order by n`

const withConcept = `
  with made as (insert into concepts (name) values ($1) returning id, name)
  insert into core.changes (topic, subject, payload)
  select 'graph', 'concept ' || id, jsonb_build_object('type', 'conceptCreated', 'conceptId', id::text, 'name', name)
  from made`

let names = 0
const newName = () => `chaos ${process.pid} ${++names}`

/** Writes as the commands of the runs and of the graph do, in one transaction. */
export async function writeBySql(
  client: pg.Client,
  runs: readonly string[],
  move: Omit<SqlMove, 'rest'>,
): Promise<void> {
  await client.query('begin')
  for (const place of move.runs) await client.query(withChanges, [runs[place], move.changes])
  for (let count = 0; count < move.concepts; count++) await client.query(withConcept, [newName()])
  await sleep(move.hold)
  await client.query(move.isKept ? 'commit' : 'rollback')
}

/** What fails, since the database is away, is left. */
export async function writeAllBySql(
  url: string,
  runs: readonly string[],
  moves: readonly SqlMove[],
): Promise<void> {
  let client: pg.Client | undefined
  for (const { rest, ...move } of moves) {
    await sleep(rest)
    try {
      client ??= await connect(url)
      await writeBySql(client, runs, move)
    } catch {
      await client?.end().catch(() => {})
      client = undefined
    }
  }
  await client?.end().catch(() => {})
}

export async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => {})
  await client.connect()
  return client
}

const Concept = graphql(`
  mutation ChaosConcept($name: String!) { createConcept(input: { name: $name }) { id } }
`)
const Start = graphql(`
  mutation ChaosStart($code: String!) { startRun(input: { processCode: $code }) { id } }
`)
const Cancel = graphql(`mutation ChaosCancel($id: ID!) { cancelRun(id: $id) { id } }`)
const Claim = graphql(`
  mutation ChaosClaim($code: String!) {
    claimRuns(processCodes: [$code], worker: "chaos", leaseSeconds: 3600) { lease run { id } }
  }
`)
const Step = graphql(`
  mutation ChaosStep($lease: String!, $status: StepStatus!) {
    reportStep(lease: $lease, input: { stepKey: "step", status: $status }) { id }
  }
`)
const Partial = graphql(`
  mutation ChaosPartial($lease: String!) { reportPartialResult(lease: $lease, result: { some: 1 }) { id } }
`)
const Artifact = graphql(`
  mutation ChaosArtifact($lease: String!) {
    addArtifact(lease: $lease, input: { artifactType: "text", content: "made" }) { id }
  }
`)
const Ask = graphql(`
  mutation ChaosAsk($lease: String!) { askUser(lease: $lease, prompt: "Which?") { id question { id } } }
`)
const Answer = graphql(`
  mutation ChaosAnswer($id: ID!, $question: ID!) {
    answerRun(id: $id, questionId: $question, answer: "this") { id }
  }
`)
const Finish = graphql(`
  mutation ChaosFinish($lease: String!) { finishRun(lease: $lease, status: SUCCEEDED, result: 1) { id } }
`)

/** Writes through the API, now here, now there. What fails, since the server is away, is left. */
export async function writeAllByApi(
  clients: readonly Client[],
  code: string,
  moves: readonly ApiMove[],
): Promise<void> {
  for (const [turn, { rest, what }] of moves.entries()) {
    await sleep(rest)
    const client = clients[turn % clients.length]
    if (client) await act(client, code, what).catch(() => {})
  }
}

async function act(client: Client, code: string, what: ApiMove['what']): Promise<void> {
  if (what === 'concept') return void (await client.run(Concept, { name: newName() }))
  if (what === 'start') return void (await client.run(Start, { code }))
  if (what === 'cancel') {
    const { startRun } = await client.run(Start, { code })
    return void (await client.run(Cancel, startRun))
  }
  const [claimed] = (await client.run(Claim, { code })).claimRuns
  if (!claimed) return
  const { lease } = claimed
  if (what === 'ask') {
    const { id, question } = (await client.run(Ask, { lease })).askUser
    if (question) await client.run(Answer, { id, question: question.id })
    return
  }
  await client.run(Step, { lease, status: 'RUNNING' })
  await client.run(Partial, { lease })
  await client.run(Artifact, { lease })
  await client.run(Step, { lease, status: 'SUCCEEDED' })
  await client.run(Finish, { lease })
}
