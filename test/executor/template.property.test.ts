import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Json } from '../../src/core/json.ts'
import { render } from '../../src/executor/template.ts'

const none = { inputText: null, inputPayload: null, metadata: {} }

describe('a prompt', () => {
  it.each<[string, Parameters<typeof render>[1], string]>([
    ['the input text', { ...none, inputText: 'x' }, '{{input_text}}'],
    ['a member of the payload', { ...none, inputPayload: { a: 'x' } }, '{{a}}'],
    ['a member inside another', { ...none, inputPayload: { a: [{ b: 'x' }] } }, '{{ a.0.b }}'],
    ['what the metadata has', { ...none, metadata: { a: 'x' } }, '{{a}}'],
    [
      'the metadata outright',
      { ...none, inputPayload: { a: 'y' }, metadata: { a: 'x' } },
      '{{metadata.a}}',
    ],
    [
      'the payload before the metadata',
      { ...none, inputPayload: { a: 'x' }, metadata: { a: 'y' } },
      '{{a}}',
    ],
    ['a name of other letters', { ...none, inputPayload: { имя: 'x' } }, '{{имя}}'],
  ])('has %s in place of its variable', (_what, values, template) => {
    expect(render(`<${template}>`, values)).toEqual({ prompt: '<x>' })
  })

  it('has JSON in place of what is no text, and nothing in place of null', () => {
    const inputPayload = { a: { b: [1, true] }, n: 2, nothing: null }
    expect(render('{{a}} {{n}} [{{nothing}}]', { ...none, inputPayload })).toEqual({
      prompt: '{"b":[1,true]} 2 []',
    })
  })

  it.each(['x', 'a.b', 'input_text', 'metadata.x', '__proto__', 'a.constructor', 'toString'])(
    'that needs {{%s}}, which is not there, is none',
    name => {
      const inputPayload: Json = { a: 'text' }
      expect(render(`{{ ${name} }}`, { ...none, inputPayload })).toEqual({ missing: name })
    },
  )

  it('never reads a value as a template', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (a, b) => {
        const inputPayload = { a: `${a}{{b}}${b}`, b: 'never' }
        const rendered = render('<{{a}}>', { ...none, inputPayload })
        expect(rendered).toEqual({ prompt: `<${a}{{b}}${b}>` })
      }),
    )
  })

  it('without variables is what it was', () => {
    fc.assert(
      fc.property(fc.string(), template => {
        fc.pre(!/\{\{.*\}\}/s.test(template))
        expect(render(template, none)).toEqual({ prompt: template })
      }),
    )
  })
})
