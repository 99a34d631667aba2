import type { Access, Viewer } from '../core/context.ts'

/**
 * Who listens to a stream. When the log tells that their rights have changed, they are read anew, and
 * what comes later in the log waits for that.
 */
export class LiveViewer implements Access {
  readonly #authenticate: () => Promise<Viewer | null>
  readonly #onLost: (error: unknown) => void
  #viewer: Promise<Viewer | null>

  constructor(
    viewer: Viewer | null,
    authenticate: () => Promise<Viewer | null>,
    onLost: (error: unknown) => void,
  ) {
    this.#viewer = Promise.resolve(viewer)
    this.#authenticate = authenticate
    this.#onLost = onLost
  }

  current(): Promise<Viewer | null> {
    return this.#viewer
  }

  renew(): void {
    this.#viewer = this.#authenticate()
    this.#viewer.catch(this.#onLost)
  }
}
