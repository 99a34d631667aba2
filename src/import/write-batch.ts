import type { Caller } from '../core/context.ts'
import { OvertakenError } from '../core/database-errors.ts'
import { transaction } from '../core/transaction.ts'
import { maxDescriptionLength } from '../graph/concepts.ts'
import { writeGraph } from '../graph/upsert.ts'
import { type BatchPlan, namesIn, planBatch } from './batch.ts'
import { readKnownGraph } from './known-graph.sql.ts'
import type { Statement } from './mapping.ts'

/**
 * Plans a batch and writes what was planned, in one transaction. What the graph holds is locked
 * before the plan is made, but what it lacks cannot be: where somebody else was faster to make some
 * of that, it is all planned again with theirs known, or their description would be written over.
 */
export function writeBatch(caller: Caller, statements: readonly Statement[]): Promise<BatchPlan> {
  const names = namesIn(statements)
  const links = statements.flatMap(each => each.links)
  return transaction(
    caller,
    async tx => {
      const known = await readKnownGraph(tx, names, links)
      const plan = planBatch(statements, known, maxDescriptionLength)
      const written = await writeGraph(tx, plan, caller.viewer.llmId)
      const isAsPlanned =
        written.conceptsCreated === plan.created && written.linksCreated === plan.links.length
      if (!isAsPlanned) throw new OvertakenError()
      return plan
    },
    { timeout: 120_000 },
  )
}
