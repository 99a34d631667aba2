/**
 * Whether a JSON value has objects or lists inside one another deeper than `max`. It does not
 * recurse, since what it guards against is a value that exhausts the stack.
 */
export function nestsDeeper(value: unknown, max: number): boolean {
  let level: unknown[] = [value]
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > max) return true
    const next: unknown[] = []
    for (const item of level) {
      if (item === null || typeof item !== 'object') continue
      for (const child of Object.values(item)) {
        if (child !== null && typeof child === 'object') next.push(child)
      }
    }
    level = next
  }
  return false
}
