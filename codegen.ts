import type { CodegenConfig } from '@graphql-codegen/cli'

/** Types the operations that the tests send, from the committed schema. */
const config: CodegenConfig = {
  schema: 'schema.graphql',
  documents: 'test/**/*.ts',
  ignoreNoDocuments: true,
  silent: true,
  importExtension: '.ts',
  generates: {
    'test/generated/': {
      preset: 'client',
      presetConfig: { fragmentMasking: false },
      config: {
        useTypeImports: true,
        enumsAsTypes: true,
        documentMode: 'string',
        scalars: { Cursor: 'string', DateTime: 'string', Hash: 'string' },
      },
    },
  },
}

export default config
