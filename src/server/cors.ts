import type { IncomingMessage, ServerResponse } from 'node:http'

/** Which pages of other origins may talk to the server. Cookies are never read, so none are allowed. */
export class Cors {
  readonly #origins: ReadonlySet<string>

  constructor(origins: readonly string[]) {
    this.#origins = new Set(origins)
  }

  /** Tells the browser whether the page that asks may read the answer. */
  allow({ headers, method }: IncomingMessage, response: ServerResponse): void {
    if (this.#origins.size === 0) return
    response.appendHeader('vary', 'Origin')
    if (!this.#allows(headers.origin)) return
    response.setHeader('access-control-allow-origin', headers.origin ?? '')
    response.setHeader('access-control-expose-headers', 'x-request-id')
    if (method !== 'OPTIONS') return
    response.setHeader('access-control-allow-methods', 'GET, POST')
    // Headers carry no right by themselves, and clients send many of their own.
    const wanted = headers['access-control-request-headers']
    if (wanted) response.setHeader('access-control-allow-headers', wanted)
    response.setHeader('access-control-max-age', '600')
  }

  /**
   * Browsers let every page open a WebSocket, so the server has to look at who asks. A client without
   * an origin is no browser.
   */
  allowsSocket({ headers }: IncomingMessage): boolean {
    const { origin, host } = headers
    if (origin === undefined || this.#allows(origin)) return true
    return URL.canParse(origin) && new URL(origin).host === host?.toLowerCase()
  }

  #allows(origin: string | undefined): boolean {
    return origin !== undefined && (this.#origins.has('*') || this.#origins.has(origin))
  }
}
