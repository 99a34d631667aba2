import { badInput } from '../core/errors.ts'
import { checkText } from '../core/text.ts'

const maxKeyLength = 200

/** A key that keeps a repeated call from a second effect. @throws BAD_USER_INPUT */
export function checkKey(key: string, field: string): void {
  checkText(key, field, maxKeyLength)
  if (key === '') throw badInput('An idempotency key cannot be empty.', field)
}
