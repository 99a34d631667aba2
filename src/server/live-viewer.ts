import type { Access, Viewer } from '../core/context.ts'

/**
 * Who listens to a stream. When the log tells that their rights have changed, they are read anew, and
 * what comes later in the log waits for that.
 */
export class LiveViewer implements Access {
  readonly #authenticate: () => Promise<Viewer | null>
  readonly #onLost: (error: unknown) => void
  #viewer: Viewer | null | Promise<Viewer | null>

  constructor(
    viewer: Viewer | null,
    authenticate: () => Promise<Viewer | null>,
    onLost: (error: unknown) => void,
  ) {
    this.#viewer = viewer
    this.#authenticate = authenticate
    this.#onLost = onLost
  }

  current(): Viewer | null | Promise<Viewer | null> {
    return this.#viewer
  }

  renew(): void {
    const renewed = this.#authenticate()
    this.#viewer = renewed
    renewed.then(viewer => {
      if (this.#viewer === renewed) this.#viewer = viewer
    }, this.#onLost)
  }
}
