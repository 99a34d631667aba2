import { readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { type Env, readEnv } from '../src/core/env.ts'

const readme = await readFile('README.md', 'utf8')

/** A row of the table names one variable or several; its second cell is their default. */
const documented = [...readme.matchAll(/^\| (`[A-Z].*?) \|(.*?)\|/gm)].flatMap(
  ([, names = '', value = '']) =>
    names
      .split(', ')
      .map((name): [string, string] => [
        name.replaceAll('`', '').trim(),
        value.replaceAll('`', '').trim(),
      ]),
)

describe('the table of variables in README.md', () => {
  it('has each of them once', async () => {
    const code = await readFile('src/core/env.ts', 'utf8')
    const known = [...code.matchAll(/^ {4}([A-Z\d_]+): /gm)].map(([, name]) => name)
    expect(known).toContain('DATABASE_URL')
    expect(documented.map(([name]) => name).toSorted()).toEqual(known.toSorted())
  })

  it.each(documented)('tells the default of %s', (name, value) => {
    expect(value).toBe(defaultOf(name as keyof Env))
  })
})

function defaultOf(name: keyof Env): string {
  if (name === 'DATABASE_URL') return 'the embedded one'
  const here = told(readEnv({})[name])
  const open = told(readEnv({ HOST: '0.0.0.0' })[name])
  return name === 'HOST' || here === open ? here : `${here}; ${open} where HOST is public`
}

function told(value: Env[keyof Env]): string {
  if (typeof value === 'boolean') return value ? 'on' : 'off'
  if (Array.isArray(value)) return value.join(', ') || 'none'
  return String(value ?? '')
}
