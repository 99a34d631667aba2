import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Api, startApi } from '../support/api.ts'
import type { Client } from '../support/client.ts'
import {
  Answer,
  Artifact,
  Ask,
  Cancel,
  Claim,
  CreateChat,
  CreateProcess,
  Finish,
  Heartbeat,
  keyOf,
  Partial,
  Rerun,
  RunCommands,
  Start,
  Step,
  UpdateProcess,
} from '../support/run-commands.ts'

let api: Api
let commands: RunCommands
/** One of each kind, and a user who has asked for nothing. */
let clients: Record<'user' | 'agent' | 'other' | 'worker' | 'admin', Client>
beforeAll(async () => {
  api = await startApi()
  commands = await RunCommands.open(api)
  clients = {
    user: commands.user,
    agent: await api.signUp('agent', { kind: 'AGENT' }),
    other: await api.signUp('other'),
    worker: commands.worker,
    admin: api.admin,
  }
})
afterAll(() => api.close())

const verdicts = async (send: (client: Client) => Promise<string | null>) => {
  const entries = Object.entries(clients).map(async ([kind, client]) => [kind, await send(client)])
  return Object.fromEntries(await Promise.all(entries))
}

const FORBIDDEN = 'FORBIDDEN'
const NOT_FOUND = 'NOT_FOUND'
const lease = 'lease_unknown'

describe('who may do what with runs', () => {
  it('processes are defined by administrators', async () => {
    const { id } = await commands.process()
    let count = 0
    const all = { user: FORBIDDEN, agent: FORBIDDEN, other: FORBIDDEN, worker: FORBIDDEN }
    const created = await verdicts(client => {
      const code = `defined-${++count}`
      return client.verdict(CreateProcess, { input: { code, name: code } })
    })
    expect(created).toEqual({ ...all, admin: null })
    const updated = await verdicts(client =>
      client.verdict(UpdateProcess, { id, input: { name: 'x' } }),
    )
    expect(updated).toEqual({ ...all, admin: null })
  })

  it('runs are started, and chats made, by everybody but workers', async () => {
    const { code: processCode } = await commands.process()
    const all = { user: null, agent: null, other: null, worker: FORBIDDEN, admin: null }
    expect(await verdicts(client => client.verdict(Start, { input: { processCode } }))).toEqual(all)
    expect(await verdicts(client => client.verdict(CreateChat, { title: 'talk' }))).toEqual(all)
  })

  it('a run is cancelled, answered and run again by who asked for it, and by administrators', async () => {
    const { id } = await commands.held()
    const questionId = Buffer.from(`RunQuestion:${keyOf(id)}`).toString('base64')
    const hidden = { agent: NOT_FOUND, other: NOT_FOUND, worker: FORBIDDEN }
    const answered = await verdicts(client => client.verdict(Answer, { id, questionId, answer: 1 }))
    const waitsNot = 'ILLEGAL_TRANSITION'
    expect(answered).toEqual({ ...hidden, user: waitsNot, admin: waitsNot })
    expect(await verdicts(client => client.verdict(Rerun, { id }))).toEqual({
      ...hidden,
      user: null,
      admin: null,
    })
    const { user: _user, ...strangers } = clients
    for (const [kind, client] of Object.entries(strangers)) {
      const verdict = await client.verdict(Cancel, { id })
      expect(verdict).toBe({ ...hidden, admin: null }[kind])
    }
  })

  it('an agent acts for its user', async () => {
    const { code: processCode } = await commands.process()
    const { startRun } = await clients.agent.run(Start, { input: { processCode } })
    expect(startRun.requestedBy?.login).toBe('agent')
    expect(await clients.agent.verdict(Cancel, { id: startRun.id })).toBeNull()
  })

  it('runs are carried out by workers and administrators', async () => {
    const { code } = await commands.process()
    const none = { user: FORBIDDEN, agent: FORBIDDEN, other: FORBIDDEN }
    expect(await verdicts(client => client.verdict(Claim, { codes: [code] }))).toEqual({
      ...none,
      worker: null,
      admin: null,
    })
    const reports: ((client: Client) => Promise<string | null>)[] = [
      client => client.verdict(Heartbeat, { lease }),
      client => client.verdict(Step, { lease, input: { stepKey: 'x', status: 'RUNNING' } }),
      client => client.verdict(Artifact, { lease, input: { artifactType: 'x', content: '' } }),
      client => client.verdict(Partial, { lease, result: 1 }),
      client => client.verdict(Ask, { lease }),
      client => client.verdict(Finish, { lease, status: 'FAILED' }),
    ]
    for (const report of reports) {
      const lost = { worker: 'LEASE_LOST', admin: 'LEASE_LOST' }
      expect(await verdicts(report)).toEqual({ ...none, ...lost })
    }
  })

  it('a chat of somebody else cannot be used', async () => {
    const { code: processCode } = await commands.process()
    const { createChat } = await clients.user.run(CreateChat, { title: 'mine' })
    const input = { processCode, chatId: createChat.id }
    expect(await clients.other.refused(Start, { input })).toMatchObject({
      code: NOT_FOUND,
      field: 'input.chatId',
    })
    const { startRun } = await clients.user.run(Start, { input })
    expect(startRun.chat?.id).toBe(createChat.id)
  })
})
