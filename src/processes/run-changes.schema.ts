import { builder } from '../core/builder.ts'
import type { Change } from '../core/change.ts'
import { readIdOf } from '../core/ids.ts'
import type { RunPayload } from './processes.events.ts'
import { RunEvent } from './run-event.schema.ts'
import { followRun, followRuns } from './run-events.ts'
import { RunFilter, readRunFilter } from './run-filter.schema.ts'

const RunChange = builder.objectRef<Change<RunPayload>>('RunChange').implement({
  description: 'An event of some run, with its place among those of all.',
  fields: t => ({
    cursor: t.expose('cursor', {
      type: 'Cursor',
      description: 'The place right behind it, for `after` of runChanges.',
    }),
    event: t.field({
      type: RunEvent,
      description: 'What happened.',
      resolve: change => change,
    }),
  }),
})

builder.subscriptionFields(t => ({
  runEvents: t.field({
    type: RunEvent,
    description:
      'All that happens in one run, in order: first what has happened behind `after`, then what comes. NOT_FOUND for a run that the viewer may not see.',
    args: {
      runId: t.arg.id({ required: true, description: 'The global id of the run.' }),
      after: t.arg.int({
        required: true,
        defaultValue: 0,
        description: 'The seq of the last event that is known: `lastSeq` of a run that was read.',
      }),
    },
    subscribe: (_root, { runId, after }, context) =>
      followRun(context, { runId: readIdOf('ProcessRun', runId, 'runId'), after }),
    resolve: change => change,
  }),
  runChanges: t.field({
    type: RunChange,
    description: 'What happens in all runs that the viewer may see.',
    args: {
      filter: t.arg({
        type: RunFilter,
        description:
          'Only in these. By status, a run is one of those before it leaves the status and when it comes into it.',
      }),
      after: t.arg({
        type: 'Cursor',
        description:
          'Where to go on: `cursor` of the last change that is known, or `changesCursor` of a page that was read. Without it, from now on.',
      }),
    },
    subscribe: (_root, { filter, after }, context) =>
      followRuns(context, { filter: readRunFilter(filter), after }),
    resolve: change => change,
  }),
}))
