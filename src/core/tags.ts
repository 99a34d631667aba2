/** Tags trimmed, empty and repeated ones dropped, the order kept. A tag may hold a comma. */
export function normalizeTags(tags: readonly string[]): string[] {
  return [...new Set(tags.map(tag => tag.trim()).filter(tag => tag !== ''))]
}
