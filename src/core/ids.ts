import { badInput } from './errors.ts'

/** A global id is the base64 of `Type:id`, as Relay's servers have it. Clients treat it as opaque. */
export function writeGlobalId(type: string, id: string | number | bigint): string {
  return Buffer.from(`${type}:${id}`).toString('base64')
}

/** @throws BAD_USER_INPUT for what is no global id at all */
export function readGlobalId(globalId: string, field = 'id'): { type: string; id: string } {
  const text = Buffer.from(globalId, 'base64').toString()
  const colon = text.indexOf(':')
  // Node decodes anything; what does not encode back was not one of ours.
  if (colon < 1 || writeGlobalId(text.slice(0, colon), text.slice(colon + 1)) !== globalId) {
    throw badInput(`${field} is not a global id.`, field)
  }
  return { type: text.slice(0, colon), id: text.slice(colon + 1) }
}

/**
 * The id within its type.
 * @throws BAD_USER_INPUT for the id of another type
 */
export function readIdOf(type: string, globalId: string, field = 'id'): string {
  const read = readGlobalId(globalId, field)
  if (read.type !== type) throw badInput(`${field} is not the id of a ${type}.`, field)
  return read.id
}

const maxBigint = 2n ** 63n - 1n

/** A bigint key, or undefined where the text cannot be one and so names nothing. */
export function bigintKey(id: string): bigint | undefined {
  if (!/^[1-9]\d{0,18}$/.test(id)) return undefined
  const key = BigInt(id)
  return key <= maxBigint ? key : undefined
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** A uuid key in lower case, or undefined where the text cannot be one. */
export const uuidKey = (id: string): string | undefined => (uuid.test(id) ? id : undefined)
