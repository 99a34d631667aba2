import { setTimeout as sleep } from 'node:timers/promises'
import type { Fault, Plan } from './plan.ts'
import type { Subscriber } from './subscriber.ts'
import type { World } from './world.ts'

export type Breakages = Record<Fault['what'], number>

/** Breaks one thing after the other, and resolves when all is whole again. */
export async function breakThings(
  world: World,
  faults: Plan['faults'],
  subscribers: readonly Subscriber[],
): Promise<Breakages> {
  const done: Breakages = {
    ...{ 'cut socket': 0, 'kill server': 0, 'end listener': 0 },
    ...{ 'restart PostgreSQL': 0, 'crash PostgreSQL': 0 },
  }
  const repairs: Promise<void>[] = []
  for (const { rest, what, on } of faults) {
    await sleep(rest)
    if (what === 'cut socket') subscribers[on % subscribers.length]?.cut()
    else if (what === 'end listener') await endListener(world)
    else if (what === 'kill server') repairs.push(crash(world, on))
    else await world.postgres.restart(what === 'restart PostgreSQL' ? 'fast' : 'crash')
    done[what]++
  }
  await Promise.all(repairs)
  return done
}

async function crash({ instances }: World, on: number): Promise<void> {
  await instances[on % instances.length]?.crash()
}

/** The connection of one instance that listens; of which, is left to chance. */
const endListener = ({ query }: World) =>
  query(
    `select pg_terminate_backend(pid) from pg_stat_activity
      where query ~ '^((listen|notify) engraph_changes|select)$' order by random() limit 1`,
  )
