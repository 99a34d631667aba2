import http from 'node:http'
import https from 'node:https'
import type { Env } from '../core/env.ts'

export type ModelServer = 'ollama' | 'openai'

export type ModelServers = Pick<
  Env,
  'OLLAMA_URL' | 'OPENAI_URL' | 'OPENAI_API_KEY' | 'LLM_TIMEOUT_MS'
>

export const baseOf = (servers: ModelServers, server: ModelServer): string | undefined =>
  server === 'ollama' ? servers.OLLAMA_URL : servers.OPENAI_URL

/**
 * The address of a path below a base, or undefined for one that leads out of it. Programs write the
 * version that the base ends in or leave it out, so `/v1` is there once either way.
 */
export function addressBelow(base: string, path: string): URL | undefined {
  const root = new URL(base)
  const folder = `${root.pathname.replace(/\/+$/, '')}/`
  const version = /\/v\d+\/$/.exec(folder)?.[0] ?? '//'
  const below = path.startsWith(version) ? path.slice(version.length) : path.slice(1)
  const address = new URL(root)
  const [name = '', query] = below.split(/\?(.*)/s)
  address.pathname = `${folder}${name}`
  address.search = query ?? ''
  address.hash = ''
  return address.pathname.startsWith(folder) && !leadsUp(name) ? address : undefined
}

/** Also for a server that takes `%2f` for a slash. */
function leadsUp(path: string): boolean {
  try {
    return decodeURIComponent(path).split(/[/\\]/).includes('..')
  } catch {
    return true
  }
}

const agents = {
  'http:': new http.Agent({ keepAlive: true }),
  'https:': new https.Agent({ keepAlive: true }),
}

/** A request to a model server on a connection that is kept. The caller sends its body. */
export function openRequest(
  address: URL,
  options: Pick<http.RequestOptions, 'method' | 'headers' | 'signal'>,
): http.ClientRequest {
  return address.protocol === 'https:'
    ? https.request(address, { ...options, agent: agents['https:'] })
    : http.request(address, { ...options, agent: agents['http:'] })
}
