import { brandWithType } from '@pothos/core'
import { builder, type Rows } from './builder.ts'
import { type Caller, type Context, callerOf } from './context.ts'
import { limitExceeded } from './errors.ts'
import { readGlobalId } from './ids.ts'
import { maxPageSize } from './paging.ts'

type Load = (caller: Caller, id: string) => Promise<object | null>
const loads = new Map<string, Load>()

/**
 * Makes a Prisma-backed type a Node: with a global id, and found again by `node` and `nodes` through
 * the loader of its room, and so under its permission predicate.
 */
export function makeNode<Name extends keyof Rows & string>(
  type: { name: string },
  options: {
    id: (row: Rows[Name]) => string | bigint
    /** Null for what is not there, what is hidden, and an id that cannot be one of this type. */
    load: (caller: Caller, id: string) => Promise<Rows[Name] | null>
  },
): void {
  // The plugin has no signature for a reference of the Prisma plugin, though that one uses it so.
  builder.nodeRef<Rows[Name]>(type as never, {
    id: { resolve: row => options.id(row), description: 'The global id.' },
  })
  loads.set(type.name, options.load)
}

// Not the fields of Relay's plugin: those read the ids before anybody is asked for a token.
const Node = builder.nodeInterfaceRef()

async function readNode(context: Context, globalId: string, field: string): Promise<object | null> {
  const { type, id } = readGlobalId(globalId, field)
  const node = (await loads.get(type)?.(callerOf(context), id)) ?? null
  if (node) brandWithType(node, type as never)
  return node
}

builder.queryFields(t => ({
  node: t.field({
    type: Node,
    nullable: true,
    description: 'One thing by its global id; null where there is none that the viewer may see.',
    args: { id: t.arg.id({ required: true, description: 'The global id.' }) },
    resolve: (_root, { id }, context) => readNode(context, id, 'id'),
  }),
  nodes: t.field({
    type: [Node],
    nullable: { list: false, items: true },
    description: `Things by their global ids, in the order of the ids, at most ${maxPageSize}; null for each that does not exist or that the viewer may not see.`,
    args: { ids: t.arg.idList({ required: true, description: 'The global ids.' }) },
    complexity: ({ ids }) => ({ multiplier: Math.min(ids.length, maxPageSize) }),
    resolve(_root, { ids }, context) {
      if (ids.length > maxPageSize) {
        throw limitExceeded(`nodes takes at most ${maxPageSize} ids.`, 'ids')
      }
      return Promise.all(ids.map((id, index) => readNode(context, id, `ids.${index}`)))
    },
  }),
}))
