import {
  type ASTVisitor,
  GraphQLError,
  type GraphQLSchema,
  getIntrospectionQuery,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
  parse,
  type ValidationContext,
} from 'graphql'
import { type Fanout, measureDocument } from './document-size.ts'

/**
 * The largest number of items that each list of introspection has in this schema. With it, the size
 * of a query for the schema is known without running it.
 */
export function introspectionFanout(schema: GraphQLSchema): Fanout {
  const largest = new Map<string, number>()
  const note = (name: string, size: number) =>
    largest.set(name, Math.max(size, largest.get(name) ?? 0))

  const types = Object.values(schema.getTypeMap())
  note('types', types.length)
  note('directives', schema.getDirectives().length)
  for (const directive of schema.getDirectives()) note('args', directive.args.length)
  for (const type of types) {
    if (isObjectType(type) || isInterfaceType(type)) {
      const fields = Object.values(type.getFields())
      note('fields', fields.length)
      note('interfaces', type.getInterfaces().length)
      for (const field of fields) note('args', field.args.length)
    }
    if (isInterfaceType(type)) note('possibleTypes', schema.getPossibleTypes(type).length)
    if (isInputObjectType(type)) note('inputFields', Object.keys(type.getFields()).length)
    if (isEnumType(type)) note('enumValues', type.getValues().length)
  }
  return name => largest.get(name) ?? 1
}

/** The query that GraphiQL, code generators and Relay send may be this many times larger elsewhere. */
const allowance = 4

/** What introspection may cost: enough for every tool, and too little to ask for it again and again. */
export function introspectionAllowance(fanout: Fanout): number {
  const standard = parse(
    getIntrospectionQuery({
      specifiedByUrl: true,
      directiveIsRepeatable: true,
      schemaDescription: true,
      inputValueDeprecation: true,
      oneOf: true,
    }),
  )
  return allowance * measureDocument(standard, fanout).introspection
}

/** A validation rule that refuses `__schema` and `__type`; `__typename` tells nothing and stays. */
export function refuseIntrospection(context: ValidationContext): ASTVisitor {
  return {
    Field(node) {
      if (node.name.value !== '__schema' && node.name.value !== '__type') return
      const message = 'Introspection is turned off on this server.'
      context.reportError(
        new GraphQLError(message, { nodes: node, extensions: { code: 'FORBIDDEN' } }),
      )
    },
  }
}
