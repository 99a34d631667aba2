import {
  type DocumentNode,
  GraphQLError,
  type GraphQLSchema,
  getOperationAST,
  getVariableValues,
  Kind,
  type OperationDefinitionNode,
} from 'graphql'
import type { Context } from '../core/context.ts'
import type { Env } from '../core/env.ts'
import { badInput, type DomainError, limitExceeded, unauthenticated } from '../core/errors.ts'
import { nestsDeeper } from '../core/json.ts'
import { complexityOf } from './complexity.ts'
import { refuseIntrospection } from './introspection.ts'

/** What a client sends, whatever the transport. */
export interface OperationRequest {
  readonly query: string
  readonly operationName?: string | null | undefined
  readonly variables?: Record<string, unknown> | null | undefined
}

export interface CheckedOperation {
  readonly document: DocumentNode
  readonly node: OperationDefinitionNode
  readonly variables: Record<string, unknown>
}

/** Parse and validate as they are with the caches in front of them. */
export interface Language {
  parse(source: string): DocumentNode
  validate(
    schema: GraphQLSchema,
    document: DocumentNode,
    rules: unknown[] | undefined,
    options: { hideSuggestions: boolean },
  ): readonly GraphQLError[]
}

export type CheckSettings = Pick<Env, 'INTROSPECTION' | 'MAX_NESTING' | 'MAX_COMPLEXITY'>

/**
 * Everything that is decided about an operation before it runs. Throws what is wrong with it: one
 * error, or an AggregateError of them.
 */
export class OperationCheck {
  readonly #schema: GraphQLSchema
  readonly #settings: CheckSettings

  constructor(schema: GraphQLSchema, settings: CheckSettings) {
    this.#schema = schema
    this.#settings = settings
  }

  check(request: OperationRequest, language: Language, context: Context): CheckedOperation {
    const document = language.parse(request.query)
    if (this.#mayIntrospect(context)) {
      return this.#checkAgainstSchema(document, request, language, context, false)
    }
    try {
      return this.#checkAgainstSchema(document, request, language, context, true)
    } catch (error) {
      // What the schema objects to tells of it, and without a token nothing of it can be had anyway.
      if (context.viewer === null && error instanceof AggregateError) throw unauthenticated()
      throw error
    }
  }

  #checkAgainstSchema(
    document: DocumentNode,
    request: OperationRequest,
    language: Language,
    context: Context,
    hideNames: boolean,
  ): CheckedOperation {
    this.#validate(document, language, hideNames)

    const node = getOperationAST(document, request.operationName)
    if (!node) throw noSuchOperation(document, request.operationName)
    const variables = request.variables ?? {}
    if (nestsDeeper(variables, this.#settings.MAX_NESTING)) {
      throw limitExceeded(`The variables nest deeper than ${this.#settings.MAX_NESTING}.`)
    }
    const coerced = this.#coerce(node, variables, hideNames)
    this.#checkComplexity(document, node, coerced, context)
    return { document, node, variables }
  }

  #mayIntrospect({ viewer }: Context): boolean {
    const { INTROSPECTION } = this.#settings
    return INTROSPECTION === 'on' || (INTROSPECTION === 'viewers' && viewer !== null)
  }

  /** Where introspection is refused, no suggestion may tell a name either. */
  #validate(document: DocumentNode, language: Language, hideNames: boolean): void {
    const rules = hideNames ? [refuseIntrospection] : undefined
    const options = { hideSuggestions: hideNames }
    const errors = language.validate(this.#schema, document, rules, options)
    if (errors.length === 0) return
    const seen = errors.map(withoutCause)
    throw new AggregateError(hideNames ? seen.map(withoutSuggestion) : seen)
  }

  #coerce(
    node: OperationDefinitionNode,
    variables: Record<string, unknown>,
    hideSuggestions: boolean,
  ): Record<string, unknown> {
    const definitions = node.variableDefinitions ?? []
    if (definitions.length === 0) return {}
    const options = { maxErrors: 50, hideSuggestions }
    const { errors, coerced } = getVariableValues(this.#schema, definitions, variables, options)
    if (errors) throw new AggregateError(errors.map(wrongVariable))
    return coerced
  }

  #checkComplexity(
    document: DocumentNode,
    operation: OperationDefinitionNode,
    variables: Record<string, unknown>,
    context: Context,
  ): void {
    const schema = this.#schema
    const complexity = complexityOf({ schema, document, operation, variables, context })
    const max = this.#settings.MAX_COMPLEXITY
    if (!(complexity <= max)) {
      throw limitExceeded(
        `The operation has a complexity of ${Math.ceil(complexity)}; at most ${max} is allowed.`,
      )
    }
  }
}

function noSuchOperation(document: DocumentNode, name: string | null | undefined) {
  if (name != null) return badInput(`The document has no operation «${name}».`, 'operationName')
  const isEmpty = !document.definitions.some(({ kind }) => kind === Kind.OPERATION_DEFINITION)
  return isEmpty
    ? badInput('The document has no operation.')
    : badInput('The document has several operations: say which by operationName.', 'operationName')
}

const limitsOfGraphql: Record<string, string> = {
  'Validation aborted.': 'The document repeats too many fields to be validated.',
  'Maximum introspection depth exceeded': 'The document follows the schema from type to type.',
}

/** The message says what a scalar objected to; what it threw would count as a fault of the server. */
function withoutCause(error: GraphQLError): GraphQLError | DomainError {
  const limit = limitsOfGraphql[error.message]
  if (limit) return limitExceeded(limit)
  const { message, nodes, extensions } = error
  return new GraphQLError(message, { nodes, extensions: { code: extensions.code } })
}

/** One rule of graphql-js suggests a selection whatever `hideSuggestions` says. */
function withoutSuggestion<Seen extends GraphQLError | DomainError>(error: Seen): Seen {
  error.message = error.message.replace(/ Did you mean .*\?$/s, '')
  return error
}

function wrongVariable({ message, nodes }: GraphQLError): GraphQLError {
  // graphql-js tells the place of a wrong value in words only.
  const [, name, place] = /^Variable "\$(\w+)"(?:.*? at "([^"]+)";)?/s.exec(message) ?? []
  return new GraphQLError(message, { nodes, extensions: { field: place ?? name } })
}
