import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Json } from '../../src/core/json.ts'
import { type Redactable, redact as redactAll } from '../../src/processes/redact.ts'

const secret = fc.stringMatching(/^[A-Za-z0-9]{3}[A-Za-z0-9_-]{12,40}$/)
const name = fc.constantFrom(
  'authorization',
  'Authorization',
  'Proxy-Authorization',
  'api_key',
  'apiKey',
  'API-KEY',
  'x-api-key',
  'openai_api_key',
  'access_token',
  'refreshToken',
  'token',
  'secret',
  'client_secret',
  'password',
  'Cookie',
)
const innocent = fc.constantFrom('max_tokens', 'prompt_tokens', 'model', 'content', 'role', 'seed')

/** A place in a structure, as a way from its leaf to its root. */
const way = fc.array(fc.oneof(fc.constantFrom('list', 'text'), innocent), { maxLength: 5 })

function wrap(leaf: Json, steps: readonly string[]): Json {
  return steps.reduce<Json>((inner, step) => {
    if (step === 'list') return ['first', 'second', inner]
    return step === 'text' ? { content: JSON.stringify(inner) } : { [step]: inner }
  }, leaf)
}

const redact = (call: Partial<Redactable>) =>
  redactAll({
    request: {},
    response: undefined,
    endpoint: 'http://models',
    errorText: null,
    ...call,
  })

describe('what is kept of an LLM call', () => {
  it('has no value that stands under the name of a secret, nor its echo', () => {
    fc.assert(
      fc.property(secret, name, way, (value, key, steps) => {
        const kept = redact({
          request: wrap({ [key]: value }, steps),
          response: { error: { message: `wrong key: ${value}.` } },
          endpoint: `https://models/v1?${key}=${value}&n=1`,
          errorText: `${key}: ${value} was refused`,
        })
        expect(JSON.stringify(kept)).not.toContain(value)
      }),
    )
  })

  it('has everything else to the letter', () => {
    fc.assert(
      fc.property(innocent, fc.json({ maxDepth: 3, noUnicodeString: false }), (key, text) => {
        const request: Json = { [key]: JSON.parse(text) }
        fc.pre(
          !/key|token|secret|pass|auth|cookie|cred|pwd|bearer|basic|sig|code|[=:@]/i.test(
            text.replaceAll('":', ''),
          ),
        )
        expect(redact({ request }).request).toEqual(request)
      }),
    )
  })

  it('has the counts of tokens', () => {
    const request = { max_tokens: 10, usage: { prompt_tokens: 3, total_token: 4 } }
    expect(redact({ request }).request).toEqual(request)
  })

  it.each([
    ['a header in a list', '[{"name":"Authorization","value":"Bearer abcdef123456"}]'],
    ['headers in a row', '["accept","json","authorization","Bearer abcdef123456"]'],
    ['a header in a pair', '[["x-api-key","abcdef123456"]]'],
    ['JSON in a text', JSON.stringify({ body: '{"api_key":"abcdef123456"}' })],
    ['a command line', JSON.stringify(`curl -H 'Authorization: Bearer abcdef123456'`)],
    ['an object of secrets', '{"credentials":{"user":"abcdef123456"}}'],
    ['a password under a short name', '{"pwd":"abcdef123456","pass":"abcdef123456"}'],
    ['a key of a provider', '{"AZURE_OPENAI_KEY":"abcdef123456"}'],
    ['a setting', JSON.stringify('api_key: abcdef123456')],
    ['a log', JSON.stringify('Token: abcdef123456 was refused')],
    ['an option', JSON.stringify('agent --api-key abcdef123456 --model x')],
    ['a login', JSON.stringify('curl -u user:abcdef123456 https://example.com')],
    ['a sentence', JSON.stringify('the password is abcdef123456')],
    ['an element', JSON.stringify('<a><password>abcdef123456</password></a>')],
    ['a webhook', JSON.stringify('https://hooks.slack.com/services/T0000/B0000/abcdef123456')],
  ])('has none that stands in %s', (_where, request) => {
    const kept = redact({ request: JSON.parse(request) })
    expect(JSON.stringify(kept.request)).not.toContain('abcdef123456')
  })

  it('has the words of a JSON Schema that describes a secret, and of code', () => {
    const request: Json = {
      tools: [
        {
          properties: { password: { type: 'string', minLength: 8 } },
          required: ['password', 'username'],
        },
      ],
      messages: [
        { content: 'A basic understanding of bearer tokens; max(words, key=len); pad_token=0' },
      ],
      logprobs: [{ token: ' understanding', logprob: -0.1 }],
      text: 'Password: required. Token: 4096. Secret: see section 4. The password is forgotten; map a pin:12',
    }
    expect(redact({ request })).toMatchObject({ request })
  })

  it('has no echo of a password that is called like one', () => {
    const kept = redact({ request: { password: 'mypassword1' }, errorText: 'no mypassword1 here' })
    expect(kept.errorText).toBe('no [redacted] here')
  })

  it('is found in time in a request of 4 MB of one thing, or of secrets alone', () => {
    const size = 4_000_000
    const parts = [
      '\\',
      '"a":"',
      'bearer ',
      'https://a:',
      'secret=abcd1234 ',
      '&a%3=b',
      '<a>',
      '-u a:',
      'eyJaaaaaaaa-',
      'password is ',
      'key: ',
      'eyJaaaaaaaaaa.',
      ' ',
    ]
    for (const part of parts) redact({ request: part.repeat(size / part.length) })
    redact({ errorText: `"a":"${'\\n'.repeat(size / 2)}` })
    // Passwords that begin alike, and a text that begins like all of them.
    const password = Array.from({ length: 100 }, (_, n) => `${'a'.repeat(3_900 - n)}b${n}`)
    redact({ request: { password }, errorText: 'a'.repeat(size) })
    // Hours, where a pattern looks at each place from each other.
  }, 120_000)

  it('is the same when it is redacted once more', () => {
    fc.assert(
      fc.property(secret, name, way, (value, key, steps) => {
        const once = redact({ request: wrap({ [key]: value }, steps) })
        expect(redactAll(once)).toEqual(once)
      }),
    )
  })
})
