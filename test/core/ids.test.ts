import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { bigintKey, readGlobalId, readIdOf, uuidKey, writeGlobalId } from '../../src/core/ids.ts'

const badInput = expect.objectContaining({ code: 'BAD_USER_INPUT', field: 'id' })

describe('a global id', () => {
  it('is read back exactly, ids beyond 2^53 included', () => {
    fc.assert(
      fc.property(
        fc.stringMatching(/^[A-Z][a-z]+$/),
        fc.bigInt({ min: 1n, max: 2n ** 63n - 1n }),
        (type, id) => {
          const read = readGlobalId(writeGlobalId(type, id))
          expect(read).toEqual({ type, id: id.toString() })
          expect(bigintKey(read.id)).toBe(id)
        },
      ),
    )
  })

  it('may hold a colon and letters of any script', () => {
    const id = writeGlobalId('Llm', 'ollama:ламма')
    expect(readIdOf('Llm', id)).toBe('ollama:ламма')
  })

  it.each(['', 'x', 'Concept:1', 'Q29uY2VwdDox=', ' Q29uY2VwdDox', 'OjE='])(
    '%j is refused, for it is none',
    text => {
      expect(() => readGlobalId(text)).toThrow(badInput)
    },
  )

  it('of another type is refused', () => {
    expect(() => readIdOf('Concept', writeGlobalId('Link', 1n))).toThrow(badInput)
  })
})

describe('a key', () => {
  it.each(['0', '-1', '01', '1.5', '1e3', '9223372036854775808', '', 'NaN', '１'])(
    '%j is no bigint key and so finds nothing',
    text => {
      expect(bigintKey(text)).toBeUndefined()
    },
  )

  it('that is no UUID finds nothing', () => {
    expect(uuidKey('a')).toBeUndefined()
    expect(uuidKey('A35B431C-10C3-478A-9AE2-358F6ADF3A2A')).toBeUndefined()
    expect(uuidKey('a35b431c-10c3-478a-9ae2-358f6adf3a2a')).toBeDefined()
  })
})
