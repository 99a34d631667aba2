import {
  type DocumentNode,
  type FragmentDefinitionNode,
  Kind,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql'

/** What a document asks for when every fragment is counted wherever it is spread. */
export interface DocumentSize {
  /** Fields inside one another; what lies under `__schema` and `__type` counts as introspection. */
  depth: number
  /** Selection sets inside one another, those of fragments without a field between them included. */
  nesting: number
  aliases: number
  directives: number
  /** An upper bound of the objects and values that introspection would answer with. */
  introspection: number
}

/** How many items a field of an introspection type can have; 1 for those that are no lists. */
export type Fanout = (fieldName: string) => number

/**
 * Measures a document that may still be invalid: an unknown fragment counts as empty, and so does
 * one that leads back to itself. Each fragment is measured once, so that fragments which double each
 * other cost nothing here; their size is the sum that they would expand to.
 */
export function measureDocument(document: DocumentNode, fanout: Fanout): DocumentSize {
  const measure = new Measurement(document, fanout)
  const total = empty()
  for (const definition of document.definitions) {
    total.directives += definition.directives?.length ?? 0
    if (definition.kind !== Kind.OPERATION_DEFINITION) continue
    for (const variable of definition.variableDefinitions ?? []) {
      total.directives += variable.directives?.length ?? 0
    }
    include(total, measure.selections(definition.selectionSet, false))
  }
  return total
}

const isIntrospection = (name: string) => name === '__schema' || name === '__type'

class Measurement {
  readonly #fanout: Fanout
  readonly #fragments = new Map<string, FragmentDefinitionNode>()
  /** By fragment name, once for use inside introspection and once for use outside. */
  readonly #known = {
    inside: new Map<string, DocumentSize>(),
    outside: new Map<string, DocumentSize>(),
  }

  constructor(document: DocumentNode, fanout: Fanout) {
    this.#fanout = fanout
    for (const definition of document.definitions) {
      if (definition.kind === Kind.FRAGMENT_DEFINITION) {
        this.#fragments.set(definition.name.value, definition)
      }
    }
  }

  selections(set: SelectionSetNode | undefined, inside: boolean): DocumentSize {
    const size = empty()
    for (const selection of set?.selections ?? []) include(size, this.#selection(selection, inside))
    if (set) size.nesting++
    return size
  }

  #selection(selection: SelectionNode, inside: boolean): DocumentSize {
    const size = this.#withoutDirectives(selection, inside)
    const directives = selection.directives?.length ?? 0
    return directives === 0 ? size : { ...size, directives: size.directives + directives }
  }

  #withoutDirectives(selection: SelectionNode, inside: boolean): DocumentSize {
    switch (selection.kind) {
      case Kind.FRAGMENT_SPREAD:
        return this.#fragment(selection.name.value, inside)
      case Kind.INLINE_FRAGMENT:
        return this.selections(selection.selectionSet, inside)
      case Kind.FIELD: {
        const name = selection.name.value
        const under = this.selections(selection.selectionSet, inside || isIntrospection(name))
        const introspects = inside || isIntrospection(name)
        return {
          ...under,
          depth: introspects ? (inside ? 0 : 1) : under.depth + 1,
          aliases: under.aliases + (selection.alias ? 1 : 0),
          introspection: introspects
            ? 1 + this.#fanout(name) * Math.max(under.introspection, 1)
            : under.introspection,
        }
      }
    }
  }

  #fragment(name: string, inside: boolean): DocumentSize {
    const known = inside ? this.#known.inside : this.#known.outside
    const before = known.get(name)
    if (before) return before
    known.set(name, empty())
    const size = this.selections(this.#fragments.get(name)?.selectionSet, inside)
    known.set(name, size)
    return size
  }
}

const empty = (): DocumentSize => ({
  depth: 0,
  nesting: 0,
  aliases: 0,
  directives: 0,
  introspection: 0,
})

function include(total: DocumentSize, part: DocumentSize): void {
  total.depth = Math.max(total.depth, part.depth)
  total.nesting = Math.max(total.nesting, part.nesting)
  total.aliases += part.aliases
  total.directives += part.directives
  total.introspection += part.introspection
}
