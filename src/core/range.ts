import { badInput } from './errors.ts'

/** @throws BAD_USER_INPUT for a number outside of `min` to `max`, both of which it may be */
export function checkRange(value: number, field: string, min: number, max: number): void {
  if (value < min || value > max) throw badInput(`${field} must be from ${min} to ${max}.`, field)
}
