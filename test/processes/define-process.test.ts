import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { graphql } from '../generated/gql.ts'
import type { CreateProcessInput, UpdateProcessInput } from '../generated/graphql.ts'
import { type Api, startApi } from '../support/api.ts'

let api: Api
beforeAll(async () => {
  api = await startApi()
})
afterAll(() => api.close())

const Create = graphql(`
  mutation DefineProcess($input: CreateProcessInput!) { createProcess(input: $input) { ...Defined } }
`)
const Update = graphql(`
  mutation RedefineProcess($id: ID!, $input: UpdateProcessInput!) {
    updateProcess(id: $id, input: $input) { ...Defined }
  }
`)
graphql(`
  fragment Defined on Process {
    id
    code
    name
    description
    promptTemplate
    defaultModel
    n8nWorkflowId
    n8nWebhookPath
    outputSchema
    autoRun
    status
    metadata
  }
`)

const create = async (input: CreateProcessInput) =>
  (await api.admin.run(Create, { input })).createProcess
const update = async (id: string, input: UpdateProcessInput) =>
  (await api.admin.run(Update, { id, input })).updateProcess

const complete = {
  code: 'web_search',
  name: 'Web search',
  description: 'Looks it up',
  promptTemplate: 'Find {{what}}',
  defaultModel: 'phi4-mini',
  n8nWorkflowId: 'w1',
  n8nWebhookPath: 'web-search',
  outputSchema: { type: 'object', required: ['links'] },
  autoRun: true,
  status: 'ACTIVE',
  metadata: { owner: 'ops', limits: { runSeconds: 60 }, schedule: { cron: '0 9 * * *' } },
} as const

describe('a process', () => {
  it('is defined with everything that it has, and is a draft without', async () => {
    expect(await create(complete)).toEqual({ id: expect.any(String), ...complete })
    expect(await create({ code: 'bare', name: 'Bare' })).toMatchObject({
      status: 'DRAFT',
      autoRun: false,
      metadata: {},
      outputSchema: null,
      description: null,
    })
  })

  it('keeps what an update leaves out, and loses what becomes null', async () => {
    const { id, ...before } = await create({ ...complete, code: 'kept' })
    expect(await update(id, { name: 'Renamed' })).toEqual({ id, ...before, name: 'Renamed' })
    const gone = { description: null, outputSchema: null, promptTemplate: null, defaultModel: null }
    expect(await update(id, gone)).toEqual({ id, ...before, name: 'Renamed', ...gone })
    expect(await update(id, {})).toMatchObject({ name: 'Renamed', status: 'ACTIVE' })
  })

  it('changes from any status into any', async () => {
    const { id } = await create({ code: 'moved', name: 'Moved' })
    for (const status of ['ARCHIVED', 'DRAFT', 'PAUSED', 'ACTIVE'] as const) {
      expect((await update(id, { status })).status).toBe(status)
    }
  })

  it('has a code that no other has, in any spelling', async () => {
    await create({ code: 'taken', name: 'Taken' })
    const { id } = await create({ code: 'free', name: 'Free' })
    const refusal = { code: 'CONFLICT', field: 'input.code' }
    for (const code of ['taken', ' taken\u00a0']) {
      const input = { code, name: 'Other' }
      expect(await api.admin.refused(Create, { input })).toMatchObject(refusal)
      expect(await api.admin.refused(Update, { id, input })).toMatchObject(refusal)
    }
  })

  it('of a code sent ten times at once on two servers is created once', async () => {
    const servers = [api.admin, await api.sibling()]
    const input = { code: 'raced', name: 'Raced' }
    const verdicts = await Promise.all(
      Array.from({ length: 5 }, () => servers.map(one => one.verdict(Create, { input }))).flat(),
    )
    expect(verdicts.toSorted()).toEqual([...Array(9).fill('CONFLICT'), null])
  })

  it.each<[string, Partial<CreateProcessInput>]>([
    ['input.code', { code: 'zero\u200bwidth' }],
    ['input.code', { code: 'nul\u0000' }],
    ['input.name', { name: ' ' }],
    ['input.description', { description: '\ud800' }],
    ['input.outputSchema', { outputSchema: { type: 'text' } }],
    ['input.outputSchema', { outputSchema: { const: '\u0000' } }],
    ['input.metadata', { metadata: ['list'] }],
    ['input.metadata.limits', { metadata: { limits: 60 } }],
    ['input.metadata.limits.runSeconds', { metadata: { limits: { runSeconds: 0 } } }],
    ['input.metadata.limits.runSeconds', { metadata: { limits: { runSeconds: 1.5 } } }],
    ['input.metadata.limits.waitSeconds', { metadata: { limits: { waitSeconds: 31_536_001 } } }],
    ['input.metadata.limits.toString', { metadata: { limits: { toString: 1 } } }],
  ])('is refused for what is wrong at %s', async (field, wrong) => {
    const input = { code: 'wrong', name: 'Wrong', ...wrong }
    expect(await api.admin.refused(Create, { input })).toMatchObject({
      code: 'BAD_USER_INPUT',
      field,
    })
  })

  it('that is not there cannot be changed', async () => {
    const id = Buffer.from('Process:00000000-0000-4000-8000-000000000000').toString('base64')
    expect(await api.admin.refused(Update, { id, input: { name: 'x' } })).toMatchObject({
      code: 'NOT_FOUND',
      field: 'id',
    })
  })
})
