import type { ChangeRecord } from './change-record.ts'

/** Written by triggers of the tables of identity, with the user's id as the subject. */
const accessTopic = 'access'

/** Tells open streams that what their user may do has changed. */
export class AccessWatch {
  readonly #watchers = new Map<string, Set<() => void>>()

  /** Answers how to stop watching. */
  watch(userId: string, onChange: () => void): () => void {
    const others = this.#watchers.get(userId)
    if (others) others.add(onChange)
    else this.#watchers.set(userId, new Set([onChange]))
    return () => {
      const watching = this.#watchers.get(userId)
      watching?.delete(onChange)
      if (watching?.size === 0) this.#watchers.delete(userId)
    }
  }

  note(changes: readonly ChangeRecord[]): void {
    for (const { topic, subject } of changes) {
      if (topic === accessTopic) this.#tell(this.#watchers.get(subject))
    }
  }

  /** What was missed may have been about anybody. */
  noteAll(): void {
    for (const watching of [...this.#watchers.values()]) this.#tell(watching)
  }

  #tell(watching: Iterable<() => void> | undefined): void {
    for (const onChange of [...(watching ?? [])]) onChange()
  }
}
