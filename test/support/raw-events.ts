import { onTestFinished } from 'vitest'

export interface ServerSentEvent {
  type: string
  data: string
}

/**
 * Reads server-sent events as a browser's EventSource does, by the rules of
 * https://html.spec.whatwg.org/multipage/server-sent-events.html, but for the headers that it may send,
 * and that it may post.
 */
export class RawEventSource {
  readonly #url: string
  readonly #headers: Record<string, string>
  readonly #body: string | undefined
  readonly #abort = new AbortController()
  #lines: AsyncGenerator<string> | undefined
  /** Of the last event that has come. */
  lastEventId: string
  response: Response | undefined

  private constructor(
    url: string,
    headers: Record<string, string>,
    lastEventId: string,
    body: string | undefined,
  ) {
    this.#url = url
    this.#headers = headers
    this.lastEventId = lastEventId
    this.#body = body
    onTestFinished(() => this.close())
  }

  /** @param body of JSON, to be posted */
  static async open(
    url: string | URL,
    headers: Record<string, string> = {},
    lastEventId = '',
    body?: string,
  ): Promise<RawEventSource> {
    const source = new RawEventSource(String(url), headers, lastEventId, body)
    await source.#connect()
    return source
  }

  /** What an EventSource does when its connection has broken off. */
  reopen(): Promise<RawEventSource> {
    this.close()
    return RawEventSource.open(this.#url, this.#headers, this.lastEventId, this.#body)
  }

  close(): void {
    this.#abort.abort()
  }

  /** Undefined at the end of the connection. */
  async next(): Promise<ServerSentEvent | undefined> {
    let type = 'message'
    let data: string | undefined
    let id = this.lastEventId
    for (;;) {
      const { done, value: line } = (await this.#lines?.next()) ?? { done: true }
      if (done) return undefined
      if (line === '' && data !== undefined) {
        this.lastEventId = id
        return { type, data }
      }
      const [, field, value = ''] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? []
      if (field === 'event') type = value
      if (field === 'data') data = data === undefined ? value : `${data}\n${value}`
      if (field === 'id') id = value
    }
  }

  async #connect(): Promise<void> {
    this.response = await fetch(this.#url, {
      ...(this.#body !== undefined && { method: 'POST', body: this.#body }),
      headers: {
        ...(this.#body !== undefined && { 'content-type': 'application/json' }),
        accept: 'text/event-stream',
        ...this.#headers,
        ...(this.lastEventId && { 'last-event-id': this.lastEventId }),
      },
      signal: this.#abort.signal,
    })
    this.#lines = linesOf(this.response)
  }
}

async function* linesOf({ body }: Response): AsyncGenerator<string> {
  let text = ''
  const decoder = new TextDecoder()
  for await (const chunk of body ?? []) {
    const lines = (text + decoder.decode(chunk, { stream: true })).split(/\r\n|\n|\r/)
    text = lines.pop() ?? ''
    yield* lines
  }
}
