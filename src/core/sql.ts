/** A piece of SQL with its values, to be put together from others without counting `$n`. */
export class Sql {
  readonly strings: readonly string[]
  readonly values: readonly unknown[]

  constructor(strings: readonly string[], values: readonly unknown[]) {
    this.strings = strings
    this.values = values
  }

  /** The statement in PostgreSQL's numbered form. */
  get text(): string {
    return this.strings.reduce((text, part, index) => `${text}$${index}${part}`)
  }
}

/** `` sql`select … where id = ${id}` ``: a value becomes a parameter, an `Sql` is spliced in. */
export function sql(strings: TemplateStringsArray, ...values: unknown[]): Sql {
  const outStrings: string[] = [strings[0] ?? '']
  const outValues: unknown[] = []
  values.forEach((value, index) => {
    const next = strings[index + 1] ?? ''
    const last = outStrings.length - 1
    if (value instanceof Sql) {
      outStrings[last] += value.strings[0] ?? ''
      outStrings.push(...value.strings.slice(1))
      outValues.push(...value.values)
      outStrings[outStrings.length - 1] += next
    } else {
      outValues.push(value)
      outStrings.push(next)
    }
  })
  return new Sql(outStrings, outValues)
}

/** Trusted text, such as a column's name: never anything that came from outside. */
export const raw = (text: string) => new Sql([text], [])

export const empty = raw('')

export function join(parts: readonly Sql[], separator: string): Sql {
  return parts.reduce(
    (all, part, index) => (index === 0 ? part : sql`${all}${raw(separator)}${part}`),
    empty,
  )
}

export const and = (parts: readonly Sql[]) =>
  parts.length === 0 ? raw('true') : join(parts, ' and ')
