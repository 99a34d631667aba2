import type { Change } from '../core/change.ts'
import type { Caller, Context } from '../core/context.ts'
import { callerOf } from '../core/context.ts'
import { badInput, notFound } from '../core/errors.ts'
import { checkRange } from '../core/range.ts'
import { type CountedChange, historyOf } from '../events/history.ts'
import { type RunHappening, type RunPayload, runTopic } from './processes.events.ts'
import { canSeeChange, changesThatMeet, type RunFilter } from './run-filter.ts'
import { runById } from './runs.ts'

/** What happened in a run: from its history, or as it comes. */
export type RunEvent = Pick<Change<RunPayload>, 'subject' | 'seq' | 'payload' | 'at'>

/** One whose payload is of this type. */
export type RunEventOf<Type extends RunHappening['type']> = RunEvent & {
  payload: Extract<RunPayload, { type: Type }>
}

const defaultEvents = 100
export const maxEvents = 1_000

/** How many events are asked for. */
export const eventsAskedFor = (first: number | null | undefined) => first ?? defaultEvents

/**
 * What happened in a run that the viewer sees, behind a seq.
 * @throws BAD_USER_INPUT
 */
export function eventsOf(
  caller: Caller,
  runId: string,
  args: { after: number; first?: number | null | undefined },
): Promise<CountedChange<RunPayload>[]> {
  const first = eventsAskedFor(args.first)
  checkRange(first, 'first', 0, maxEvents)
  return historyOf(caller, runTopic, runId, { afterSeq: readSeq(args.after), first })
}

function readSeq(after: number): number {
  if (after < 0) throw badInput('after must be 0 or the seq of an event.', 'after')
  return after
}

/**
 * The events of one run behind a seq, and from then on those that come.
 * @throws BAD_USER_INPUT, NOT_FOUND for a run that the viewer may not see
 */
export async function followRun(
  context: Context,
  { runId, after }: { runId: string; after: number },
): Promise<AsyncIterable<Change<RunPayload>>> {
  const afterSeq = readSeq(after)
  const run = await runById(callerOf(context), runId)
  if (!run) throw notFound('run', 'runId')
  return context.feed.follow(context, runTopic, {
    name: 'run events',
    subject: run.id,
    afterSeq,
    lastSeq: run.lastSeq,
    accepts: (change, caller) => canSeeChange(caller, change),
  })
}

/** The events of all runs that the viewer may see and that meet the filter. */
export const followRuns = (
  context: Context,
  { filter, after }: { filter: RunFilter; after?: string | null | undefined },
): AsyncIterable<Change<RunPayload>> =>
  context.feed.follow(context, runTopic, {
    name: `run changes ${JSON.stringify(filter)}`,
    after,
    accepts: changesThatMeet(filter),
  })
