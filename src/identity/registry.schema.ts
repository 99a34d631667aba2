import { builder } from '../core/builder.ts'
import { callerOf } from '../core/context.ts'
import { listRegistry, removeRegistryEntry, saveRegistryEntry } from './registry.ts'

builder.prismaObject('RegistryEntry', {
  description: 'One entry of a registry, such as a kind of note.',
  fields: t => ({
    code: t.exposeString('code', { description: 'The registry.' }),
    key: t.exposeString('key', { description: 'The key, unique in its registry.' }),
    value: t.exposeString('value', { description: 'What stands under the key.' }),
    position: t.exposeInt('position', { description: 'Its place among the entries.' }),
  }),
})

const code = 'The registry, such as AGENT_MEMORY_KIND_KEY.'
const key = 'The key within the registry.'

builder.queryField('registry', t =>
  t.field({
    type: ['RegistryEntry'],
    description: 'The entries of a registry by position. For administrators.',
    args: { code: t.arg.string({ required: true, description: code }) },
    resolve: (_root, args, context) => listRegistry(callerOf(context), args.code),
  }),
)

builder.mutationFields(t => ({
  saveRegistryEntry: t.field({
    type: 'RegistryEntry',
    description:
      'Adds an entry to a registry, or changes the one under this key. For administrators.',
    args: {
      code: t.arg.string({ required: true, description: code }),
      key: t.arg.string({ required: true, description: key }),
      value: t.arg.string({ required: true, description: 'What stands under the key.' }),
      position: t.arg.int({ description: 'Its place; a new entry without one stands last.' }),
    },
    resolve: (_root, args, context) => saveRegistryEntry(callerOf(context), args),
  }),
  removeRegistryEntry: t.field({
    type: 'RegistryEntry',
    description: 'Removes an entry from a registry and answers it. For administrators.',
    args: {
      code: t.arg.string({ required: true, description: code }),
      key: t.arg.string({ required: true, description: key }),
    },
    resolve: (_root, args, context) => removeRegistryEntry(callerOf(context), args.code, args.key),
  }),
}))
