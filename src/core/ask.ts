import type { Json } from './json.ts'

/** Carries out one operation of the API and answers its data. Rejects with `AskError`. */
export type Ask = <Data>(
  document: string,
  variables: { readonly [name: string]: Json | undefined },
) => Promise<Data>

/** The first error of an operation, or that there was no answer. */
export class AskError extends Error {
  override readonly name = 'AskError'
  /** `extensions.code` of the error; undefined where there was no answer. */
  readonly code: string | undefined

  constructor(message: string, code?: string) {
    super(message)
    this.code = code
  }
}
