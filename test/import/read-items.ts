import { type MemoryItem, readMemory } from '../../src/import/mcp-memory.ts'

/** The items of a file with this content, which arrives in pieces of `chunkSize` bytes. */
export async function readItems(
  content: string | Uint8Array,
  chunkSize = 2 ** 16,
  maxObjectBytes = 2 ** 16,
): Promise<MemoryItem[]> {
  const items: MemoryItem[] = []
  const chunks = chunked(Buffer.from(content), chunkSize)
  for await (const item of readMemory(chunks, { maxObjectBytes })) items.push(item)
  return items
}

async function* chunked(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

export const entity = (name: string, rest: object = {}) =>
  JSON.stringify({ type: 'entity', name, entityType: 'person', observations: [], ...rest })

export const relation = (from: string, to: string, relationType = 'knows') =>
  JSON.stringify({ type: 'relation', from, to, relationType })

/** Names of entities, ends of relations, and the lines and reasons of failures. */
export function told(items: readonly MemoryItem[]): string[] {
  return items.map(item => {
    if (item.kind === 'entity') return `${item.line}: ${item.name}`
    if (item.kind === 'relation')
      return `${item.line}: ${item.from} ${item.relationType} ${item.to}`
    return `${item.line}: ${item.kind}: ${item.reason}`
  })
}
