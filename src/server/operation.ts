import {
  createSourceEventStream,
  type DocumentNode,
  type ExecutionResult,
  execute,
  type GraphQLSchema,
  type OperationDefinitionNode,
} from 'graphql'
import type { Access, Context, Viewer } from '../core/context.ts'
import type { Database } from '../core/database.ts'
import type { Env } from '../core/env.ts'
import { DomainError, unauthenticated } from '../core/errors.ts'
import { lend } from '../core/lending.ts'
import { Loaders } from '../core/loaders.ts'
import { ChangeStream } from '../events/change-stream.ts'
import type { ChangeFeed } from '../events/feed.ts'
import type { Authenticate } from '../identity/authenticate.ts'
import { alarmAt } from './alarm.ts'
import { ChangeResults } from './change-results.ts'
import { type ClientError, type Origin, refusal, toClientError, tooMany } from './graphql-errors.ts'
import { LiveViewer } from './live-viewer.ts'
import type { Metrics, Transport } from './metrics.ts'
import { type Language, OperationCheck, type OperationRequest } from './operation-check.ts'
import { ResultStream } from './result-stream.ts'
import { Slots } from './slots.ts'

/** Who sent an operation, and how. */
export interface Asker extends Origin {
  readonly viewer: Viewer | null
  readonly address: string
  readonly transport: Transport
  /** What they showed, to be asked again for as long as a stream lasts. */
  readonly authorization: string | undefined
  /** The place in the feed when the request came in, before anything was done about it. */
  readonly since: string
  /** The last event that the client of a stream has seen. */
  readonly lastEventId?: string | undefined
  /** Of HTTP: Yoga finds it in the context of what it answers. */
  readonly request?: Request
}

export interface Engine extends Language {
  execute(args: RunArgs): ExecutionResult | Promise<ExecutionResult>
}

interface RunArgs {
  schema: GraphQLSchema
  document: DocumentNode
  operationName: string | undefined
  variableValues: Record<string, unknown>
  contextValue: Context
  rootValue?: unknown
  signal?: AbortSignal
}

/** An operation that was accepted and holds its slot; it must be run, which gives the slot back. */
export interface Operation extends RunArgs {
  readonly node: OperationDefinitionNode
  /** Resolves whatever happens. A stream holds the slot until its end. */
  run(): Promise<ExecutionResult | ResultStream>
}

export interface OperationsOptions {
  schema: GraphQLSchema
  env: Env
  db: Database
  metrics: Metrics
  feed: Pick<ChangeFeed, 'position' | 'follow' | 'watchAccess'>
  authenticate: Authenticate
  /** Aborted when the server begins to shut down. */
  closing: AbortSignal
  engine(): Engine
}

/**
 * The one way in for operations. HTTP, SSE and WebSocket are three ways to carry a request here and a
 * result back, so their verdicts cannot differ.
 */
export class Operations {
  readonly #options: OperationsOptions
  readonly #check: OperationCheck
  readonly #slots: Slots
  readonly #changeResults = new ChangeResults()
  /** All streams together have the share of one operation, since many of them wake at once. */
  readonly #streamDb: Database

  constructor(options: OperationsOptions) {
    this.#options = options
    this.#check = new OperationCheck(options.schema, options.env)
    this.#slots = new Slots(options.env.MAX_OPERATIONS_PER_VIEWER)
    this.#streamDb = lend(options.db, new AbortController().signal)
  }

  /**
   * Answers what is wrong with the request, or an operation that can run.
   * @param onEnd called once when an accepted operation has ended, a stream at its end
   */
  accept(
    request: OperationRequest,
    asker: Asker,
    onEnd = () => {},
  ): readonly ClientError[] | Operation {
    try {
      return this.#accept(request, asker, onEnd)
    } catch (error) {
      const errors = error instanceof AggregateError ? error.errors : [error]
      const seen = errors.map(one => toClientError(one, asker))
      const outcome = seen[0]?.code ?? 'INTERNAL'
      this.#options.metrics.operationEnded(asker.transport, 'refused', outcome)
      return seen
    }
  }

  #accept(request: OperationRequest, asker: Asker, onEnd: () => void): Operation {
    const { schema, db, closing, engine, env, feed } = this.#options
    if (closing.aborted) throw shuttingDown()
    const { requestId, log, viewer, since, lastEventId } = asker
    const overtime = new AbortController()
    const lent = lend(db, overtime.signal)
    const loaders = new Loaders()
    const access = { current: async () => viewer, renew() {} }
    const context: Context = {
      requestId,
      log,
      db: lent,
      viewer,
      loaders,
      feed,
      since,
      access,
      lastEventId,
    }
    const running = engine()
    const checked = this.#check.check(request, running, context)
    const type = checked.node.operation
    if (asker.request?.method === 'GET' && type === 'mutation') throw onlyByPost()
    if (asker.transport === 'http' && type === 'subscription') throw onlyAsStream()
    const giveBack = this.#slots.take(holderOf(asker))
    if (!giveBack) {
      throw tooMany(`At most ${env.MAX_OPERATIONS_PER_VIEWER} operations may run at once.`)
    }
    const leave = () => {
      giveBack()
      onEnd()
    }
    const args: RunArgs = {
      schema,
      document: checked.document,
      operationName: request.operationName ?? undefined,
      variableValues: checked.variables,
      contextValue: asker.request ? Object.assign(context, { request: asker.request }) : context,
    }
    const run = () =>
      checked.node.operation === 'subscription'
        ? this.#stream(args, checked.node, asker, leave)
        : this.#execute(running, args, checked.node, overtime, asker, leave)
    return { ...args, node: checked.node, run }
  }

  async #execute(
    engine: Engine,
    args: RunArgs,
    node: OperationDefinitionNode,
    overtime: AbortController,
    asker: Asker,
    leave: () => void,
  ): Promise<ExecutionResult> {
    const { metrics, env } = this.#options
    const start = performance.now()
    const timer = setTimeout(() => overtime.abort(tookTooLong()), env.OPERATION_TIMEOUT_MS)
    const result = await attempt(() => engine.execute({ ...args, signal: overtime.signal }), asker)
    clearTimeout(timer)
    leave()
    const seen = present(result as ExecutionResult, asker)
    metrics.operationRan(node.operation, performance.now() - start)
    metrics.operationEnded(asker.transport, node.operation, outcomeOf(seen))
    return seen
  }

  async #stream(
    args: RunArgs,
    node: OperationDefinitionNode,
    asker: Asker,
    leave: () => void,
  ): Promise<ExecutionResult | ResultStream> {
    const { metrics, closing, feed, authenticate } = this.#options
    const { viewer, authorization } = asker
    let end = (_error: unknown) => {}
    const access = new LiveViewer(
      viewer,
      () => authenticate(authorization),
      error => end(error),
    )
    const endWatch = viewer ? feed.watchAccess(viewer.userId, () => access.renew()) : () => {}
    const source = await this.#resultsOf(args, node, access, asker)
    if (!isStream(source)) {
      endWatch()
      leave()
      const seen = present(source, asker)
      metrics.operationEnded(asker.transport, 'subscription', outcomeOf(seen))
      return seen
    }
    let outcome = 'OK'
    let callOff = () => {}
    const stream = new ResultStream(source, {
      present: result => present(result, asker),
      fail(error) {
        const seen = toClientError(error, asker)
        outcome = seen.code
        return { errors: [seen] }
      },
      onEnd() {
        leave()
        endWatch()
        callOff()
        closing.removeEventListener('abort', onClosing)
        metrics.operationEnded(asker.transport, 'subscription', outcome)
      },
    })
    end = error => stream.end(error)
    const onClosing = () => stream.end(shuttingDown())
    // A WebSocket says by its close code that the server goes away, so that clients come back.
    if (asker.transport === 'sse') {
      if (closing.aborted) onClosing()
      else closing.addEventListener('abort', onClosing)
    }
    const expiresAt = viewer?.expiresAt
    if (expiresAt) callOff = alarmAt(expiresAt, () => stream.end(expired()))
    return stream
  }

  /** The results of a subscription, each found out by an execution of its own. */
  async #resultsOf(
    args: RunArgs,
    node: OperationDefinitionNode,
    access: Access,
    asker: Asker,
  ): Promise<ExecutionResult | AsyncIterable<ExecutionResult>> {
    const contextValue = Object.assign(args.contextValue, { db: this.#streamDb, access })
    const watched = { ...args, contextValue }
    const source = await attempt(() => createSourceEventStream(watched), asker)
    // Not the engine's, which would subscribe again.
    const run = async (rootValue: unknown, context: Context) =>
      attempt(() => execute({ ...watched, rootValue, contextValue: context }), asker)
    if (source instanceof ChangeStream) {
      const { document, variableValues: variables } = args
      return this.#changeResults.of(source, {
        document,
        node,
        variables,
        context: contextValue,
        execute: run,
      })
    }
    if (!(Symbol.asyncIterator in source)) return source
    return mapped(source, value => run(value, { ...contextValue, loaders: new Loaders() }))
  }
}

/** Not a generator, which would hear of its end only after its source's next value. */
function mapped<In, Out>(
  source: AsyncIterable<In>,
  map: (value: In) => Promise<Out>,
): AsyncIterable<Out> {
  const iterator = source[Symbol.asyncIterator]()
  const end: IteratorResult<Out> = { done: true, value: undefined }
  return {
    [Symbol.asyncIterator]: () => ({
      async next() {
        const { done, value } = await iterator.next()
        return done ? end : { done: false, value: await map(value) }
      },
      async return() {
        await iterator.return?.()
        return end
      },
    }),
  }
}

/** Those who have not signed in are told apart by their address. */
export const holderOf = ({ viewer, address }: Pick<Asker, 'viewer' | 'address'>) =>
  viewer ? `user ${viewer.userId}` : `address ${address}`

const shuttingDown = () =>
  new DomainError('SERVICE_BUSY', 'The server is shutting down. Try again.')

const onlyByPost = () => refusal('BAD_USER_INPUT', 'GET is for queries; use POST for this.', 405)
const onlyAsStream = () => {
  const message = 'A subscription needs the header «Accept: text/event-stream», or a WebSocket.'
  return refusal('BAD_USER_INPUT', message, 406)
}
const tookTooLong = () => new DomainError('TIMEOUT', 'The operation took too long.')
const expired = () => unauthenticated('The token has expired.')

async function attempt<Result>(
  work: () => Result | Promise<Result>,
  asker: Asker,
): Promise<Result | ExecutionResult> {
  try {
    return await work()
  } catch (error) {
    return { errors: [toClientError(error, asker)] }
  }
}

function present(result: ExecutionResult, origin: Origin): ExecutionResult {
  if (!result.errors) return result
  return { ...result, errors: result.errors.map(error => toClientError(error, origin)) }
}

const isStream = (
  result: ExecutionResult | AsyncIterable<ExecutionResult>,
): result is AsyncIterable<ExecutionResult> => Symbol.asyncIterator in result

const outcomeOf = (seen: ExecutionResult): string =>
  (seen.errors?.[0] as ClientError | undefined)?.code ?? 'OK'
