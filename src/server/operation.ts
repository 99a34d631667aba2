import type { ExecutionResult, GraphQLSchema, OperationDefinitionNode } from 'graphql'
import type { Context } from '../core/context.ts'
import type { Env } from '../core/env.ts'
import { DomainError } from '../core/errors.ts'
import { lend } from '../core/lending.ts'
import { Loaders } from '../core/loaders.ts'
import { Slots } from '../core/slots.ts'
import { type ClientError, refusal, toClientError, tooMany } from './graphql-errors.ts'
import { type Language, OperationCheck, type OperationRequest } from './operation-check.ts'
import {
  type Asker,
  attempt,
  outcomeOf,
  present,
  type RunArgs,
  shuttingDown,
} from './operation-run.ts'
import type { ResultStream } from './result-stream.ts'
import { Subscriptions, type SubscriptionsOptions } from './subscriptions.ts'

export interface Engine extends Language {
  execute(args: RunArgs): ExecutionResult | Promise<ExecutionResult>
}

/** An operation that was accepted and holds its slot; it must be run, which gives the slot back. */
export interface Operation extends RunArgs {
  readonly node: OperationDefinitionNode
  /** Resolves whatever happens. A stream holds the slot until its end. */
  run(): Promise<ExecutionResult | ResultStream>
}

export interface OperationsOptions extends SubscriptionsOptions {
  schema: GraphQLSchema
  env: Env
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
  readonly #subscriptions: Subscriptions

  constructor(options: OperationsOptions) {
    this.#options = options
    this.#check = new OperationCheck(options.schema, options.env)
    this.#slots = new Slots(options.env.MAX_OPERATIONS_PER_VIEWER)
    this.#subscriptions = new Subscriptions(options)
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
        ? this.#subscriptions.open(args, checked.node, asker, leave)
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
}

/** Those who have not signed in are told apart by their address. */
export const holderOf = ({ viewer, address }: Pick<Asker, 'viewer' | 'address'>) =>
  viewer ? `user ${viewer.userId}` : `address ${address}`

const onlyByPost = () => refusal('BAD_USER_INPUT', 'GET is for queries; use POST for this.', 405)
const onlyAsStream = () => {
  const message = 'A subscription needs the header «Accept: text/event-stream», or a WebSocket.'
  return refusal('BAD_USER_INPUT', message, 406)
}
const tookTooLong = () => new DomainError('TIMEOUT', 'The operation took too long.')
