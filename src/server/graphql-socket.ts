import { randomUUID } from 'node:crypto'
import type { ExecutionResult, GraphQLError } from 'graphql'
import { type Context, makeServer, type SubscribePayload } from 'graphql-ws'
import type { Feed } from '../core/context.ts'
import type { Env } from '../core/env.ts'
import { Slots } from '../core/slots.ts'
import type { Authenticate } from '../identity/authenticate.ts'
import { alarmAt } from './alarm.ts'
import { toClientError, tooMany, unheld } from './graphql-errors.ts'
import { holderOf, type Operation, type Operations } from './operation.ts'
import { ResultStream } from './result-stream.ts'
import { SentResults } from './sent-results.ts'
import { closeCode, type SocketSession } from './socket-session.ts'

type SocketOperation = Omit<Operation, 'run'> & {
  run(): Promise<ExecutionResult | AsyncIterableIterator<ExecutionResult>>
}
type SocketContext = Context<Record<string, unknown> | undefined, SocketSession>

export interface GraphqlSocketOptions {
  env: Env
  operations: Operations
  authenticate: Authenticate
  feed: Pick<Feed, 'position'>
}

/** The protocol graphql-transport-ws, whose every operation goes the way that it goes over HTTP. */
export function createGraphqlSocket(options: GraphqlSocketOptions) {
  const { env, operations, authenticate, feed } = options
  const slots = new Slots(env.MAX_SOCKETS_PER_VIEWER)

  async function connect({ connectionParams, extra: session }: SocketContext): Promise<boolean> {
    session.authorization = readAuthorization(connectionParams)
    try {
      session.viewer = await authenticate(session.authorization)
    } catch (error) {
      return refuse(session, error)
    }
    if (!session.isOpen) return false
    const giveBack = slots.take(holderOf(session))
    if (!giveBack) {
      const reason = `At most ${env.MAX_SOCKETS_PER_VIEWER} sockets may be open at once`
      session.close(closeCode.tryAgainLater, reason)
      return false
    }
    session.onClose(giveBack)
    const expiresAt = session.viewer?.expiresAt
    if (expiresAt) {
      const expire = () => session.close(closeCode.forbidden, 'The token has expired')
      session.onClose(alarmAt(expiresAt, expire))
    }
    return true
  }

  /** Errors are answered, never thrown: a throw would close the socket with all that runs on it. */
  async function subscribe(
    { extra: session }: SocketContext,
    id: string,
    payload: SubscribePayload,
  ): Promise<readonly GraphQLError[] | SocketOperation> {
    // Before anything is waited for: what is committed from here on, the subscription has to bring.
    const since = feed.position
    const requestId = randomUUID()
    const log = session.log.child({ requestId })
    const origin = { requestId, log }
    const number = session.unheldNumber
    if (number !== undefined) return [toClientError(unheld(number), origin)]
    if (session.operations >= env.MAX_OPERATIONS_PER_SOCKET) {
      const message = `At most ${env.MAX_OPERATIONS_PER_SOCKET} operations may run on a socket.`
      return [toClientError(tooMany(message), origin)]
    }
    session.operations++
    const end = () => void session.operations--
    try {
      // Rights may have changed since the socket was opened.
      session.viewer = await authenticate(session.authorization)
    } catch (error) {
      end()
      const seen = toClientError(error, origin)
      if (seen.code === 'UNAUTHENTICATED') session.close(closeCode.forbidden, seen.message)
      return [seen]
    }
    const { viewer, address, authorization } = session
    const accepted = operations.accept(
      payload,
      { ...origin, viewer, address, authorization, since, transport: 'ws' },
      end,
    )
    if (!('run' in accepted)) {
      end()
      return accepted
    }
    if (accepted.node.operation !== 'subscription') {
      session.began(payload)
      return accepted
    }
    const run = async () => {
      const results = await accepted.run()
      const isStream = results instanceof ResultStream
      return isStream ? new SentResults(results, id, message => session.send(message)) : results
    }
    return { ...accepted, run }
  }

  return makeServer<Record<string, unknown> | undefined, SocketSession>({
    connectionInitWaitTimeout: env.SOCKET_INIT_TIMEOUT_MS,
    onConnect: connect,
    onSubscribe: (context, id, payload) => subscribe(context, id, payload),
    execute: args => (args as SocketOperation).run(),
    subscribe: args => (args as SocketOperation).run(),
    // The message that completes the operation is sent right after this.
    onComplete: ({ extra: session }, _id, payload) =>
      void setImmediate(() => session.answered(payload)),
  })
}

/** Closes the socket of a token that does not hold; a failure of ours leaves hope for a next try. */
function refuse(session: SocketSession, error: unknown): false {
  const { code, message } = toClientError(error, session)
  if (code === 'UNAUTHENTICATED') session.close(closeCode.forbidden, message)
  else session.close(closeCode.tryAgainLater, message)
  return false
}

/** Clients name it as they name the HTTP header, some of them among other headers. */
function readAuthorization(params: Record<string, unknown> | undefined): string | undefined {
  for (const place of [params, params?.headers]) {
    if (place === null || typeof place !== 'object') continue
    for (const [name, value] of Object.entries(place)) {
      if (name.toLowerCase() === 'authorization' && value != null) return String(value)
    }
  }
  return undefined
}
