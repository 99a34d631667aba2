import {
  createSourceEventStream,
  type ExecutionResult,
  execute,
  type OperationDefinitionNode,
} from 'graphql'
import type { Access, Context } from '../core/context.ts'
import type { Database } from '../core/database.ts'
import { unauthenticated } from '../core/errors.ts'
import { lend } from '../core/lending.ts'
import { Loaders } from '../core/loaders.ts'
import { ChangeStream } from '../events/change-stream.ts'
import type { ChangeFeed } from '../events/feed.ts'
import type { Authenticate } from '../identity/authenticate.ts'
import { alarmAt } from './alarm.ts'
import { ChangeResults } from './change-results.ts'
import { toClientError } from './graphql-errors.ts'
import { LiveViewer } from './live-viewer.ts'
import type { Metrics } from './metrics.ts'
import {
  type Asker,
  attempt,
  isStream,
  outcomeOf,
  present,
  type RunArgs,
  shuttingDown,
} from './operation-run.ts'
import { ResultStream } from './result-stream.ts'

export interface SubscriptionsOptions {
  db: Database
  metrics: Metrics
  feed: Pick<ChangeFeed, 'position' | 'follow' | 'watchAccess'>
  authenticate: Authenticate
  /** Aborted when the server begins to shut down. */
  closing: AbortSignal
}

/** Carries subscriptions out: each lasts until its reader, its token or the server ends it. */
export class Subscriptions {
  readonly #options: SubscriptionsOptions
  readonly #results: ChangeResults
  /** All streams together have the share of one operation, since many of them wake at once. */
  readonly #db: Database

  constructor(options: SubscriptionsOptions) {
    this.#options = options
    this.#results = new ChangeResults(options.metrics)
    this.#db = lend(options.db, new AbortController().signal)
  }

  /**
   * Runs a subscription that was accepted. Resolves whatever happens.
   * @param leave called once, at its end
   */
  async open(
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
    // What was told of rights between the authentication and now, nobody has heard.
    if (feed.position !== asker.since) access.renew()
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
    metrics.streamOpened()
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
        metrics.streamClosed()
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
    const contextValue = Object.assign(args.contextValue, { db: this.#db, access })
    const watched = { ...args, contextValue }
    const source = await attempt(() => createSourceEventStream(watched), asker)
    // Not the engine's, which would subscribe again.
    const run = async (rootValue: unknown, context: Context) =>
      attempt(() => execute({ ...watched, rootValue, contextValue: context }), asker)
    if (source instanceof ChangeStream) {
      const { document, variableValues: variables } = args
      return this.#results.of(source, {
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

const expired = () => unauthenticated('The token has expired.')
