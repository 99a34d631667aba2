/** What a call is recorded with, be it answered or not. */
export interface ModelCall {
  model: string
  endpoint: string
  requestText: string
  responseText: string | null
  httpStatus: number | null
  latencyMs: number
}

export interface ChatFailure {
  /** Whether the same call may succeed a little later. */
  isPassing?: boolean
  isTimeout?: boolean
  retryAfterMs?: number | undefined
  /** The answer as far as it had come. */
  partial?: string
  /** Undefined where nothing was sent. */
  call?: ModelCall
}

/** A call that brought no answer. */
export class ChatFailed extends Error {
  override readonly name = 'ChatFailed'
  readonly failure: ChatFailure

  constructor(message: string, failure: ChatFailure = {}) {
    super(message)
    this.failure = failure
  }

  with(more: ChatFailure): ChatFailed {
    return new ChatFailed(this.message, { ...this.failure, ...more })
  }
}
