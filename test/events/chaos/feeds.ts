import { graphql } from '../../generated/gql.ts'
import type { Client } from '../../support/client.ts'
import { globalId } from '../../support/seeded-runs.ts'
import { type Watch, watch } from '../../support/watch.ts'

/** What a subscriber gets of a change: which it is, and what it goes on behind. */
interface Seen {
  /** The same text as for its row in the table. */
  key: string
  place: string
}

export interface Connection {
  next(): Promise<Seen>
  cut(): void
}

/** One subscription, as it is taken up at a place: by the argument, or by the last event's id. */
export interface Feed {
  name: string
  begin: string
  open(client: Client, place: string, by: By): Promise<Connection>
}

export type By = 'argument over ws' | 'argument over sse' | 'event id over sse'

const RunChanges = graphql(`
  subscription ChaosRuns($after: Cursor) {
    runChanges(after: $after) { cursor event { seq run { id } } }
  }
`)
const RunEvents = graphql(`
  subscription ChaosRun($run: ID!, $after: Int!) {
    runEvents(runId: $run, after: $after) { seq run { id } }
  }
`)
const GraphChanges = graphql(`
  subscription ChaosGraph($after: Cursor) {
    graphChanges(after: $after) { cursor ... on ConceptChange { name } }
  }
`)

export const keyOfRow = {
  run: (subject: string, seq: number) => `${globalId.run(subject)} ${seq}`,
  graph: (name: string) => name,
}

export const feedOfRuns = (begin: string): Feed => ({
  name: 'runChanges',
  begin,
  open: async (client, place, by) =>
    connection(
      await watch(client, RunChanges, { after: argument(place, by) }, how(place, by)),
      ({ runChanges: { cursor, event } }) => ({
        key: `${event.run.id} ${event.seq}`,
        place: cursor,
      }),
    ),
})

export const feedOfRun = (run: string): Feed => ({
  name: `runEvents of ${run}`,
  begin: '0',
  open: async (client, place, by) => {
    const variables = { run: globalId.run(run), after: Number(argument(place, by) ?? 0) }
    return connection(
      await watch(client, RunEvents, variables, how(place, by)),
      ({ runEvents: { seq, run } }) => ({ key: `${run.id} ${seq}`, place: String(seq) }),
    )
  },
})

export const feedOfGraph = (begin: string): Feed => ({
  name: 'graphChanges',
  begin,
  open: async (client, place, by) =>
    connection(
      await watch(client, GraphChanges, { after: argument(place, by) }, how(place, by)),
      ({ graphChanges }) => ({
        key: 'name' in graphChanges ? graphChanges.name : '',
        place: graphChanges.cursor,
      }),
    ),
})

const argument = (place: string, by: By) => (by === 'event id over sse' ? null : place)

const how = (place: string, by: By) =>
  by === 'argument over ws'
    ? { over: 'ws' as const }
    : { over: 'sse' as const, ...(by === 'event id over sse' && { lastEventId: place }) }

const connection = <Data>({ next, cut }: Watch<Data>, read: (data: Data) => Seen): Connection => ({
  next: async () => read(await next()),
  cut,
})
