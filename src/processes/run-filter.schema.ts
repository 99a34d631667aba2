import { builder } from '../core/builder.ts'
import { readIdOf } from '../core/ids.ts'
import { OrderDirection } from '../core/order.ts'
import { checkRange } from '../core/range.ts'
import { RunStatus } from './enums.schema.ts'
import type { RunFilter as Filter } from './run-filter.ts'
import type { RunSort as Sort } from './run-lists.ts'

export const RunFilter = builder.inputType('RunFilter', {
  description:
    'Which runs: those that meet all that is given. An empty list and what the viewer may not see nothing meets.',
  fields: t => ({
    processCodes: t.stringList({
      description: 'Of processes with one of these codes, which are 100 at the most.',
    }),
    status: t.field({ type: [RunStatus], description: 'In one of these statuses.' }),
    requestedBy: t.string({ description: 'Requested by the person with this login.' }),
    chatId: t.id({ description: 'Started in the chat with this global id.' }),
    createdAfter: t.field({ type: 'DateTime', description: 'Created at this time or later.' }),
    createdBefore: t.field({ type: 'DateTime', description: 'Created before this time.' }),
  }),
})

const RunSort = builder.enumType('RunSort', {
  description: 'What runs are ordered by.',
  values: {
    CREATED_AT: { value: 'created', description: 'The time of creation.' },
    FINISHED_AT: {
      value: 'finished',
      description: 'The time of the end; what has not ended counts as latest.',
    },
  } as const,
})

export const RunOrder = builder.inputType('RunOrder', {
  description: 'An order of runs.',
  fields: t => ({
    field: t.field({ type: RunSort, required: true, description: 'What to order by.' }),
    direction: t.field({
      type: OrderDirection,
      required: true,
      defaultValue: 'desc',
      description: 'Which way the list runs.',
    }),
  }),
})

type FilterInput = typeof RunFilter.$inferInput | null | undefined

const maxCodes = 100

/** @throws BAD_USER_INPUT for a chat's id that is none, and for too many codes */
export function readRunFilter(filter: FilterInput): Filter {
  const { chatId, processCodes } = filter ?? {}
  checkRange(processCodes?.length ?? 0, 'filter.processCodes', 0, maxCodes)
  if (chatId == null) return { ...filter, chatId: null }
  return { ...filter, chatId: readIdOf('Chat', chatId, 'filter.chatId') }
}

export const readRunOrder = (
  order: typeof RunOrder.$inferInput | null | undefined,
): Sort | undefined =>
  order ? { field: order.field, descending: order.direction === 'desc' } : undefined
