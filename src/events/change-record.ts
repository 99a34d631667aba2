import type { Change } from '../core/change.ts'
import type { Position } from './position.ts'

/** A change as it is read from the table. */
export interface ChangeRow {
  id: bigint
  xact: string
  topic: string
  subject: string
  seq: number | null
  payload: object
  createdAt: Date
  bytes: number
}

type Content<Payload extends object> = Omit<Change<Payload>, 'cursor'> & {
  xact: bigint
  bytes: number
}

/** A change as it was read, with its place behind it. All who follow share it while it is remembered. */
export class ChangeRecord<Payload extends object = object> implements Change<Payload> {
  readonly id: bigint
  readonly xact: bigint
  readonly topic: string
  readonly subject: string
  readonly seq: number | null
  readonly payload: Payload
  readonly at: Date
  readonly bytes: number
  readonly position: Position
  readonly #epoch: string
  #cursor: string | undefined

  private constructor(content: Content<Payload>, position: Position, epoch: string) {
    this.id = content.id
    this.xact = content.xact
    this.topic = content.topic
    this.subject = content.subject
    this.seq = content.seq
    this.payload = content.payload
    this.at = content.at
    this.bytes = content.bytes
    this.position = position
    this.#epoch = epoch
  }

  static of(
    { xact, createdAt, ...row }: ChangeRow,
    position: Position,
    epoch: string,
  ): ChangeRecord {
    return new ChangeRecord({ ...row, xact: BigInt(xact), at: createdAt }, position, epoch)
  }

  /** The same change for a reader who has another place behind it. */
  placedAt(position: Position): ChangeRecord<Payload> {
    return new ChangeRecord(this, position, this.#epoch)
  }

  get cursor(): string {
    this.#cursor ??= this.position.write(this.#epoch)
    return this.#cursor
  }
}
