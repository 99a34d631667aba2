/**
 * What a field costs, in fields of a plain answer: the number that a read of so much work counts as.
 * `src/server/complexity.ts` adds the costs up.
 */
export interface FieldCost {
  /** Of the field itself; 1, where it is left out. */
  field?: number
  /** How many items the field answers, each of which costs so much; 10 for a list, else 1. */
  multiplier?: number
  /** The same for fields right below, by name, where only the arguments of this one tell. */
  items?: Readonly<Record<string, number>>
}
