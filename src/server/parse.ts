import {
  type DocumentNode,
  GraphQLError,
  type GraphQLSchema,
  parse,
  type Source,
  type Token,
  TokenKind,
} from 'graphql'
import type { Env } from '../core/env.ts'
import { limitExceeded } from '../core/errors.ts'
import { measureDocument } from './document-size.ts'
import { introspectionAllowance, introspectionFanout } from './introspection.ts'

type DocumentLimits = Pick<
  Env,
  'MAX_TOKENS' | 'MAX_NESTING' | 'MAX_DEPTH' | 'MAX_ALIASES' | 'MAX_DIRECTIVES'
>

/**
 * A parser that refuses documents which would be expensive to validate or to run. What it decides
 * depends on nothing but the document, so its verdict can be cached with it.
 * @throws LIMIT_EXCEEDED
 */
export function parserWithin(
  limits: DocumentLimits,
  schema: GraphQLSchema,
): (source: string | Source) => DocumentNode {
  const fanout = introspectionFanout(schema)
  const introspection = introspectionAllowance(fanout)

  const parseAndMeasure = (source: string | Source) => {
    try {
      const document = parse(source, { maxTokens: limits.MAX_TOKENS })
      return { document, size: measureDocument(document, fanout) }
    } catch (error) {
      // Parser and measurement are recursive, and can run out of stack before there is a number.
      if (error instanceof RangeError) throw tooNested(limits)
      if (error instanceof GraphQLError && /more tha[tn] \d+ tokens/.test(error.message)) {
        throw limitExceeded(`The document has more than ${limits.MAX_TOKENS} tokens.`)
      }
      throw error
    }
  }

  return source => {
    const { document, size } = parseAndMeasure(source)
    if (Math.max(bracketsDeep(document), size.nesting) > limits.MAX_NESTING) throw tooNested(limits)
    refuse('fields inside one another', size.depth, limits.MAX_DEPTH)
    refuse('aliases', size.aliases, limits.MAX_ALIASES)
    refuse('directives', size.directives, limits.MAX_DIRECTIVES)
    if (size.introspection > introspection) {
      throw limitExceeded('The document asks for more of the schema than any tool needs.')
    }
    return document
  }
}

const opening = new Set<TokenKind>([TokenKind.BRACE_L, TokenKind.BRACKET_L, TokenKind.PAREN_L])
const closing = new Set<TokenKind>([TokenKind.BRACE_R, TokenKind.BRACKET_R, TokenKind.PAREN_R])

function bracketsDeep(document: DocumentNode): number {
  let depth = 0
  let deepest = 0
  for (let token: Token | null = document.loc?.startToken ?? null; token; token = token.next) {
    if (opening.has(token.kind)) deepest = Math.max(deepest, ++depth)
    else if (closing.has(token.kind)) depth--
  }
  return deepest
}

const tooNested = (limits: DocumentLimits) =>
  limitExceeded(`The document has more than ${limits.MAX_NESTING} brackets inside one another.`)

function refuse(what: string, actual: number, max: number): void {
  if (actual > max) {
    throw limitExceeded(`The document has ${actual} ${what}; at most ${max} are allowed.`)
  }
}
