import type { ExecutionResult } from 'graphql'

/** Under which a result says what a client takes the stream up again with. */
export const eventId = Symbol('event id')

export const eventIdOf = (result: ExecutionResult): string | undefined =>
  (result as { [eventId]?: string })[eventId]
