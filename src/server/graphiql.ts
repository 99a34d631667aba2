import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { assetRoot, contentSecurityPolicy, page, startScript, style } from './graphiql-page.ts'

interface Asset {
  type: string
  etag: string
  plain: Buffer
  compressed: Buffer
}

/** GraphiQL, out of the installed packages alone. Nine megabytes, so they are read when first wanted. */
export class Graphiql {
  #assets: Promise<Map<string, Asset>> | undefined

  page(res: ServerResponse): void {
    res.setHeader('content-type', 'text/html; charset=utf-8')
    res.setHeader('content-security-policy', contentSecurityPolicy)
    res.setHeader('cache-control', 'no-cache')
    res.end(page)
  }

  /** Answers whether there is such a part, having sent it. */
  async asset(path: string, req: IncomingMessage, res: ServerResponse): Promise<boolean> {
    if (!path.startsWith(assetRoot)) return false
    this.#assets ??= loadAssets().catch(error => {
      this.#assets = undefined
      throw error
    })
    const asset = (await this.#assets).get(path.slice(assetRoot.length))
    if (!asset) return false
    res.setHeader('etag', asset.etag)
    res.setHeader('cache-control', 'no-cache')
    res.setHeader('vary', 'Accept-Encoding')
    if (req.headers['if-none-match']?.includes(asset.etag)) {
      res.statusCode = 304
      res.end()
      return true
    }
    res.setHeader('content-type', asset.type)
    const isCompressed = /\bgzip\b/.test(String(req.headers['accept-encoding']))
    if (isCompressed) res.setHeader('content-encoding', 'gzip')
    const body = isCompressed ? asset.compressed : asset.plain
    res.setHeader('content-length', body.length)
    res.end(body)
    return true
  }
}

async function loadAssets(): Promise<Map<string, Asset>> {
  const graphiql = await import('@graphql-yoga/render-graphiql/graphiql')
  const favicon = graphiql.favicon.slice(graphiql.favicon.indexOf(',') + 1)
  const script = 'text/javascript; charset=utf-8'
  const assets = await Promise.all([
    asset('graphiql.js', script, graphiql.js),
    asset('graphiql.css', 'text/css; charset=utf-8', `${graphiql.css}\n${style}`),
    // Monaco asks for its workers by these names.
    asset('editorWorkerService.js', script, graphiql.editorWorkerService),
    asset('json.js', script, graphiql.jsonWorker),
    asset('graphql.js', script, graphiql.graphqlWorker),
    asset('favicon.ico', 'image/x-icon', Buffer.from(favicon, 'base64')),
    asset('graphql-ws.js', script, await readFile(browserClient())),
    asset('start.js', script, startScript),
  ])
  return new Map(assets)
}

/** The package exports this build to nobody, and means it for browsers. */
function browserClient(): string {
  const entry = createRequire(import.meta.url).resolve('graphql-ws')
  return join(entry, '../../umd/graphql-ws.min.js')
}

async function asset(
  name: string,
  type: string,
  content: string | Buffer,
): Promise<[string, Asset]> {
  const plain = Buffer.from(content)
  const digest = createHash('sha256').update(plain).digest('base64url')
  const compressed = await promisify(gzip)(plain)
  return [name, { type, etag: `"${digest.slice(0, 22)}"`, plain, compressed }]
}
