import type { IncomingMessage, ServerResponse } from 'node:http'
import type { GraphQLSchema } from 'graphql'
import { createYoga, type GraphQLParams, type Plugin } from 'graphql-yoga'
import type { Env } from '../core/env.ts'
import type { Authenticate } from '../identity/authenticate.ts'
import { DocumentCache } from './document-cache.ts'
import { acceptsEvents, eventResponse } from './event-stream.ts'
import { type Origin, refusal } from './graphql-errors.ts'
import { parseJson, readJson } from './http-body.ts'
import { sendResponse } from './http-response.ts'
import { withStatus } from './http-status.ts'
import type { Engine, Operations } from './operation.ts'
import { parserWithin } from './parse.ts'

/** What is known of a request before GraphQL looks at it. */
export interface HttpRequest extends Origin {
  readonly req: IncomingMessage
  readonly res: ServerResponse
  readonly address: string
  /** The place in the feed when the request came in. */
  readonly since: string
}

export interface GraphqlHttpOptions {
  schema: GraphQLSchema
  env: Env
  authenticate: Authenticate
  /** Called at the first request, since the operations in turn run on this engine. */
  operations(): Operations
}

/** GraphQL over HTTP and SSE, by Yoga; and what Yoga parses, validates and executes with. */
export function createGraphqlHttp(options: GraphqlHttpOptions) {
  const { schema, env } = options
  const yoga = createYoga<HttpRequest>({
    schema,
    plugins: [parsing(env, schema), requests(env), operations(options), answers],
    parserAndValidationCache: {
      documentCache: new DocumentCache(),
      errorCache: new DocumentCache(),
    },
    // Errors are masked where they are logged, with the id of their request.
    maskedErrors: false,
    maxRequestBodySize: false,
    multipart: false,
    cors: false,
    graphiql: false,
    landingPage: false,
    logging: false,
  })
  return {
    engine: (): Engine => yoga.getEnveloped({}) as unknown as Engine,
    async handle(request: HttpRequest): Promise<void> {
      const { req, res } = request
      await sendResponse(await yoga.handleNodeRequestAndResponse(req, res, request), res)
    },
  }
}

type HttpPlugin = Plugin<object, HttpRequest>

function parsing(env: Env, schema: GraphQLSchema): HttpPlugin {
  const parse = parserWithin(env, schema)
  return { onParse: ({ setParseFn }) => setParseFn(parse) }
}

const json = /^application\/json *(; *charset="?utf-8"? *)?$/i

/** Reads the two forms that a request may have. Whatever a browser sends unasked is not among them. */
function requests(env: Env): HttpPlugin {
  return {
    onRequestParse({ request, serverContext: { req }, setRequestParser }) {
      if (request.method === 'GET') setRequestParser(() => readQueryString(req.url ?? ''))
      if (request.method !== 'POST') return
      if (!json.test(req.headers['content-type'] ?? '')) {
        throw refusal('BAD_USER_INPUT', 'POST needs content-type: application/json.', 415)
      }
      setRequestParser(async () => {
        const body = await readJson(req, env.MAX_BODY_BYTES)
        if (body !== null && typeof body === 'object') return body
        throw refusal('BAD_USER_INPUT', 'The body must be a JSON object.', 400)
      })
    },
  }
}

function readQueryString(url: string): GraphQLParams {
  const given = new URLSearchParams(url.slice(url.indexOf('?') + 1))
  const read = (name: string) => {
    const text = given.get(name)
    return text ? (parseJson(text, name) as Record<string, unknown>) : undefined
  }
  return {
    query: given.get('query') ?? undefined,
    operationName: given.get('operationName') ?? undefined,
    variables: read('variables'),
    extensions: read('extensions'),
  } as GraphQLParams
}

function operations(options: GraphqlHttpOptions): HttpPlugin {
  return {
    onParams({ setParamsHandler }) {
      setParamsHandler(async ({ request, params, context }) => {
        const { query = '', operationName, variables } = params
        if (operationName != null && typeof operationName !== 'string') {
          throw refusal('BAD_USER_INPUT', 'The operationName must be a string.', 400)
        }
        const { req, requestId, log, address, since } = context
        const { authorization } = req.headers
        const viewer = await options.authenticate(authorization)
        const transport = acceptsEvents(req.headers.accept) ? 'sse' : 'http'
        const accepted = options.operations().accept(
          { query, operationName, variables },
          {
            requestId,
            log,
            viewer,
            address,
            authorization,
            since,
            lastEventId: lastEventIdOf(req),
            transport,
            request,
          },
        )
        return 'run' in accepted ? accepted.run() : { errors: accepted }
      })
    },
  }
}

/** What an EventSource sends of its own accord when it connects again. */
function lastEventIdOf({ headers }: IncomingMessage): string | undefined {
  const given = headers['last-event-id']
  return typeof given === 'string' && given !== '' ? given : undefined
}

const answers: HttpPlugin = {
  onResultProcess({ result, setResult, setResultProcessor, serverContext }) {
    if (Array.isArray(result)) return
    if (!(Symbol.asyncIterator in result)) return setResult(withStatus(result, serverContext))
    // There are no streams but those of clients that accept events.
    setResultProcessor((_result, api) => eventResponse(result, api), 'text/event-stream')
  },
}
