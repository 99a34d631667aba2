import type pg from 'pg'

export const subjects = ['a/1', 'a/2', 'b/1', 'counted/1'] as const
export type Subject = (typeof subjects)[number]

/** What was written, in the order of ids. */
export interface Written {
  id: bigint
  topic: string
  subject: string
  seq: number | null
}

/** A few who write at the same time, each in a transaction that ends when it is told to. */
export class History {
  /** What is committed. */
  readonly written: Written[] = []
  readonly #writers: { client: pg.PoolClient; open: Written[] | undefined }[]
  #seq = 0

  private constructor(clients: pg.PoolClient[]) {
    this.#writers = clients.map(client => ({ client, open: undefined }))
  }

  static async begin(pool: pg.Pool, writers: number): Promise<History> {
    await pool.query('delete from core.changes')
    return new History(await Promise.all(Array.from({ length: writers }, () => pool.connect())))
  }

  async write(number: number, place: Subject, count: number): Promise<void> {
    const writer = this.#writers[number]
    const [topic = '', subject = ''] = place.split('/')
    const isCounted = topic === 'counted'
    // Who writes of a subject has its lock.
    const isLocked = this.#writers.some(
      other =>
        other !== writer && other.open?.some(one => one.topic === topic && one.subject === subject),
    )
    if (!writer || isLocked) return
    if (!writer.open) await writer.client.query('begin')
    writer.open ??= []
    const { rows } = await writer.client.query(
      `insert into core.changes (topic, subject, seq, payload)
        select $1, $2, case when $3::int is not null then $3 + n end, '{}' from generate_series(1, $4::int) n
        returning id::text, topic, subject, seq`,
      [topic, subject, isCounted ? this.#seq : null, count],
    )
    if (isCounted) this.#seq += count
    writer.open.push(...rows.map(row => ({ ...row, id: BigInt(row.id) })))
  }

  async end(number: number, how: 'commit' | 'rollback'): Promise<void> {
    const writer = this.#writers[number]
    if (!writer?.open) return
    await writer.client.query(how)
    if (how === 'commit') this.written.push(...writer.open)
    else this.#seq -= writer.open.filter(({ topic }) => topic === 'counted').length
    writer.open = undefined
  }

  /** Ends what is open, and writes a last change of every subject, for who waits for the end. */
  async close(): Promise<void> {
    for (const number of this.#writers.keys()) await this.end(number, 'commit')
    for (const subject of subjects) await this.write(0, subject, 1)
    await this.end(0, 'commit')
    for (const { client } of this.#writers) client.release()
  }
}
