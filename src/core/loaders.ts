import DataLoader from 'dataloader'

/**
 * The DataLoaders of one operation. Each is known by a name that holds all it depends on besides
 * its keys, so that two aliases of a field with other arguments get loaders of their own.
 */
export class Loaders {
  readonly #loaders = new Map<string, DataLoader<unknown, unknown, unknown>>()

  /** The loader of this name, made on its first use; `load` answers in the order of its keys. */
  use<Key, Value>(
    name: string,
    load: (keys: readonly Key[]) => Promise<ArrayLike<Value | Error>>,
  ): DataLoader<Key, Value> {
    let loader = this.#loaders.get(name)
    if (!loader) {
      loader = new DataLoader<unknown, unknown, unknown>(
        load as (keys: readonly unknown[]) => Promise<ArrayLike<unknown>>,
        { maxBatchSize: 1_000 },
      )
      this.#loaders.set(name, loader)
    }
    return loader as unknown as DataLoader<Key, Value>
  }

  /** Forgets what was read: a mutation calls it, so that the fields after it see what it wrote. */
  clear(): void {
    this.#loaders.clear()
  }
}
