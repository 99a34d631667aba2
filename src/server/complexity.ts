import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getArgumentValues,
  getNamedType,
  getNullableType,
  isInterfaceType,
  isListType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql'
import type { Context } from '../core/context.ts'
import type { FieldCost } from '../core/field-cost.ts'

interface Measured {
  schema: GraphQLSchema
  document: DocumentNode
  operation: OperationDefinitionNode
  /** As they were coerced. */
  variables: Record<string, unknown>
  context: Context
}

/**
 * What an operation that is valid costs: its fields, each as often as the answer can have it.
 *
 * The costs are the option `complexity` of Pothos's plugin. Its own sum has one multiplier for all
 * that is below a field, so that a page of a hundred would count its `totalCount` a hundred times.
 */
export function complexityOf(measured: Measured): number {
  const { schema, operation } = measured
  const root = schema.getRootType(operation.operation)
  return root ? new Sum(measured).selections(operation.selectionSet, root, none) : 0
}

type Items = NonNullable<FieldCost['items']>
const none: Items = {}
const listItems = 10

class Sum {
  readonly #measured: Measured
  readonly #fragments = new Map<string, FragmentDefinitionNode>()
  /** A fragment is summed up once, or fragments that double each other would take for ever. */
  readonly #known = new Map<SelectionSetNode, Map<Items, number>>()

  constructor(measured: Measured) {
    this.#measured = measured
    for (const definition of measured.document.definitions) {
      if (definition.kind === Kind.FRAGMENT_DEFINITION) {
        this.#fragments.set(definition.name.value, definition)
      }
    }
  }

  /** @param items what the field above says of those selected here */
  selections(set: SelectionSetNode, type: GraphQLNamedType, items: Items): number {
    const known = this.#known.get(set) ?? new Map<Items, number>()
    this.#known.set(set, known)
    let sum = known.get(items)
    if (sum === undefined) {
      sum = set.selections.reduce((all, one) => all + this.#selection(one, type, items), 0)
      known.set(items, sum)
    }
    return sum
  }

  #selection(selection: SelectionNode, type: GraphQLNamedType, items: Items): number {
    if (selection.kind === Kind.FIELD) return this.#field(selection, type, items)
    const fragment =
      selection.kind === Kind.FRAGMENT_SPREAD
        ? this.#fragments.get(selection.name.value)
        : selection
    if (!fragment) return 0
    const condition = fragment.typeCondition
    const narrowed = condition ? this.#measured.schema.getType(condition.name.value) : type
    return narrowed ? this.selections(fragment.selectionSet, narrowed, items) : 0
  }

  #field(node: FieldNode, type: GraphQLNamedType, items: Items): number {
    const name = node.name.value
    const field = isObjectType(type) || isInterfaceType(type) ? type.getFields()[name] : undefined
    // Introspection has a limit of its own, and clients ask for __typename wherever they can.
    if (!field) return node.alias ? 1 : 0
    const cost = this.#costOf(field, node)
    const multiplier =
      (Object.hasOwn(items, name) ? items[name] : cost.multiplier) ??
      (isList(field.type) ? listItems : 1)
    const below = node.selectionSet
      ? this.selections(node.selectionSet, getNamedType(field.type), cost.items ?? none)
      : 0
    return multiplier * ((cost.field ?? 1) + below)
  }

  #costOf(field: GraphQLField<unknown, unknown>, node: FieldNode): FieldCost {
    const { variables, context } = this.#measured
    const { complexity } = field.extensions as { complexity?: Complexity }
    const cost =
      typeof complexity === 'function'
        ? complexity(getArgumentValues(field, node, variables), context, field)
        : complexity
    return typeof cost === 'number' ? { field: cost } : (cost ?? none)
  }
}

type Complexity =
  | number
  | FieldCost
  | ((args: object, context: Context, field: object) => number | FieldCost)

const isList = (type: GraphQLOutputType) => isListType(getNullableType(type))
