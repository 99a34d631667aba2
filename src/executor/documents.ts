import type { Json } from '../core/json.ts'

// What the executor asks of the API. A test holds each document against the schema.

export interface ProcessesPage {
  processes: {
    edges: {
      node: {
        code: string
        status: string
        promptTemplate: string | null
        n8nWebhookPath: string | null
        metadata: { [name: string]: Json }
      }
    }[]
    pageInfo: { hasNextPage: boolean; endCursor: string | null }
  }
}

export const processesQuery = `
  query ExecutorProcesses($after: String) {
    processes(first: 100, after: $after) {
      edges { node { code status promptTemplate n8nWebhookPath metadata } }
      pageInfo { hasNextPage endCursor }
    }
  }
`

export interface Claimed {
  lease: string
  run: {
    id: string
    inputText: string | null
    inputPayload: Json
    process: {
      promptTemplate: string | null
      defaultModel: string | null
      outputSchema: Json
      metadata: { [name: string]: Json }
    }
  }
}

export const claimMutation = `
  mutation ExecutorClaim($codes: [String!]!, $worker: String!, $max: Int!, $leaseSeconds: Int!) {
    claimRuns(processCodes: $codes, worker: $worker, max: $max, leaseSeconds: $leaseSeconds) {
      lease
      run {
        id
        inputText
        inputPayload
        process { promptTemplate defaultModel outputSchema metadata }
      }
    }
  }
`

export const heartbeatMutation = `
  mutation ExecutorHeartbeat($lease: String!) { heartbeatRun(lease: $lease) }
`

export const stepMutation = `
  mutation ExecutorStep($lease: String!, $input: StepInput!) {
    reportStep(lease: $lease, input: $input) { id }
  }
`

export const callMutation = `
  mutation ExecutorCall($lease: String!, $input: LlmCallInput!) {
    recordLlmCall(lease: $lease, input: $input) { id }
  }
`

export const partialMutation = `
  mutation ExecutorPartial($lease: String!, $result: JSON!) {
    reportPartialResult(lease: $lease, result: $result) { id }
  }
`

export const finishMutation = `
  mutation ExecutorFinish($lease: String!, $status: RunStatus!, $result: JSON, $errorText: String) {
    finishRun(lease: $lease, status: $status, result: $result, errorText: $errorText) { status }
  }
`

export const viewerQuery = `
  query ExecutorViewer { viewer { kind } }
`
