import {
  type DocumentNode,
  type ExecutionResult,
  Kind,
  type OperationDefinitionNode,
  visit,
} from 'graphql'
import type { Change } from '../core/change.ts'
import type { Context } from '../core/context.ts'
import { Loaders } from '../core/loaders.ts'
import { sharedByClass } from '../core/shared-by-class.ts'
import { SharedResults } from '../core/shared-results.ts'
import type { ChangeStream } from '../events/change-stream.ts'
import { eventId } from './event-id.ts'
import { isPassing } from './graphql-errors.ts'
import type { Metrics } from './metrics.ts'
import { ResultsAhead } from './results-ahead.ts'

/** A subscription that runs. */
export interface Watching {
  document: DocumentNode
  node: OperationDefinitionNode
  variables: Record<string, unknown>
  context: Context
  execute(change: Change, context: Context): Promise<ExecutionResult>
}

/**
 * What subscribers get of the changes. Those who watch with the same document and variables, and may
 * see the same, get the same result, and it is found out once for all of them.
 */
export class ChangeResults {
  readonly #results = new SharedResults<ExecutionResult>({ maxAgeMs: 1_000, maxEntries: 5_000 })
  readonly #documents = new WeakMap<DocumentNode, number>()
  #lastDocument = 0
  readonly #metrics: Pick<Metrics, 'eventSent' | 'eventExecuted'>

  constructor(metrics: Pick<Metrics, 'eventSent' | 'eventExecuted'>) {
    this.#metrics = metrics
  }

  of(source: ChangeStream, watching: Watching): AsyncIterable<ExecutionResult> {
    const shared = this.#sharedBy(watching)
    const ahead = new ResultsAhead(async () => {
      const { done, value: change } = await source.next()
      return done ? undefined : { id: source.idOf(change), result: shared(change) }
    })
    const next = async (): Promise<IteratorResult<ExecutionResult>> => {
      const found = await ahead.next()
      if (!found) return { done: true, value: undefined }
      const { id, result } = found
      const value = withEventId(result instanceof Promise ? await result : result, id)
      this.#metrics.eventSent()
      return { done: false, value }
    }
    // No generator: that would hear of its end only after the next change.
    const end = async (): Promise<IteratorResult<ExecutionResult>> => {
      await source.return()
      return { done: true, value: undefined }
    }
    return { [Symbol.asyncIterator]: () => ({ next, return: end }) }
  }

  #sharedBy(watching: Watching): (change: Change) => ExecutionResult | Promise<ExecutionResult> {
    const { context, execute } = watching
    return sharedByClass(this.#results, context.access, {
      name: this.#keyOf(watching),
      // The result has the cursor in it, which is not the same for one who reads what came long ago.
      keyOf: change => `${change.id} ${change.cursor}`,
      work: async (change, viewer) => {
        this.#metrics.eventExecuted()
        // What was read for an earlier change is out of date.
        const result = await execute(change, { ...context, viewer, loaders: new Loaders() })
        // The change would be lost to a client that goes on behind it. So the stream ends before it,
        // and the client comes again for it.
        const failure = result.errors?.find(isPassing)
        if (failure) throw failure
        return result
      },
    })
  }

  #keyOf({ document, node, variables }: Watching): string {
    let number = this.#documents.get(document)
    if (number === undefined) {
      number = ++this.#lastDocument
      this.#documents.set(document, number)
    }
    const places = placesIn(document, node)
    const others = Object.entries(variables).filter(([name]) => !places.has(name))
    return JSON.stringify([number, node.name?.value, others.sort(([a], [b]) => (a < b ? -1 : 1))])
  }
}

const withEventId = (result: ExecutionResult, id: string): ExecutionResult => ({
  ...result,
  ...{ [eventId]: id },
})

/** Variables that say where a subscription begins and nothing else: no result depends on them. */
function placesIn(document: DocumentNode, node: OperationDefinitionNode): ReadonlySet<string> {
  const places = new Set<string>()
  for (const selection of node.selectionSet.selections) {
    if (selection.kind !== Kind.FIELD) continue
    for (const { name, value } of selection.arguments ?? []) {
      if (name.value === 'after' && value.kind === Kind.VARIABLE) places.add(value.name.value)
    }
  }
  const uses = new Map<string, number>()
  visit(document, {
    VariableDefinition: () => false,
    Variable: ({ name }) => void uses.set(name.value, (uses.get(name.value) ?? 0) + 1),
  })
  for (const name of places) if ((uses.get(name) ?? 0) > 1) places.delete(name)
  return places
}
