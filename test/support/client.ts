import { expect } from 'vitest'
import type { TypedDocumentString } from '../generated/graphql.ts'

export interface GraphqlError {
  message: string
  path?: (string | number)[]
  extensions: { code: string; field?: string; requestId?: string }
}

/** Sends typed operations over HTTP with one token. */
export interface Client {
  readonly url: string
  readonly token: string
  /** The data; an answer with errors fails the test. */
  run<Data, Variables>(
    operation: TypedDocumentString<Data, Variables>,
    ...variables: Given<NoInfer<Variables>>
  ): Promise<Data>
  /** The first error; an answer without one fails the test. */
  refused<Data, Variables>(
    operation: TypedDocumentString<Data, Variables>,
    ...variables: Given<NoInfer<Variables>>
  ): Promise<{ code: string; field?: string | undefined; message: string }>
  /** The code of the first error, or null. */
  verdict<Data, Variables>(
    operation: TypedDocumentString<Data, Variables>,
    ...variables: Given<NoInfer<Variables>>
  ): Promise<string | null>
}

type Given<Variables> = [Variables] extends [Record<string, never>] ? [] : [variables: Variables]

export function clientOf(url: string, token: string): Client {
  async function send(query: string, variables: unknown) {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
      body: JSON.stringify({ query, variables }),
    })
    return (await response.json()) as { data?: unknown; errors?: GraphqlError[] }
  }
  return {
    url,
    token,
    async run(operation, ...[variables]) {
      const { data, errors } = await send(operation.toString(), variables)
      expect(errors).toBeUndefined()
      return data as never
    },
    async refused(operation, ...[variables]) {
      const { errors } = await send(operation.toString(), variables)
      const [error] = errors ?? []
      if (!error) throw new Error('the operation was not refused')
      const { code, field } = error.extensions
      return { code, field, message: error.message }
    },
    async verdict(operation, ...[variables]) {
      const { errors } = await send(operation.toString(), variables)
      return errors?.[0]?.extensions.code ?? null
    },
  }
}
