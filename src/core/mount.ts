import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Log } from './log.ts'

/** A request to a part of the server that is not GraphQL. */
export interface MountRequest {
  readonly req: IncomingMessage
  readonly res: ServerResponse
  /** Without what follows `?` or `#`. */
  readonly path: string
  readonly requestId: string
  readonly log: Log
}

/** What answers the requests whose path begins with `prefix`; it authenticates by itself. */
export interface Mount {
  /** Begins and ends with a slash. */
  readonly prefix: string
  /** A rejection is answered as a fault of the server's. */
  handle(request: MountRequest): Promise<void>
}
