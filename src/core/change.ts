/** A kind of changes: its name in the log, and the shape of what they say. */
export interface Topic<Payload extends object> {
  readonly name: string
  /** Only a type: what a change of this topic carries. */
  readonly payload?: Payload
}

export const topic = <Payload extends object>(name: string): Topic<Payload> => ({ name })

/** One row of the change log, as a subscription meets it. */
export interface Change<Payload extends object = object> {
  readonly id: bigint
  readonly topic: string
  readonly subject: string
  /** Of a subject whose changes are counted: from 1, without gaps. */
  readonly seq: number | null
  readonly payload: Payload
  readonly at: Date
  /** The position right behind it. */
  readonly cursor: string
}
