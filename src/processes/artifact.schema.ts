import { builder } from '../core/builder.ts'
import { pageArgs, pageComplexity } from '../core/connection-args.ts'
import { callerOf } from '../core/context.ts'
import { makeNode } from '../core/node.ts'
import { artifactById, artifactsOf } from './artifacts.ts'
import { largeColumn } from './large-columns.ts'
import { runOf } from './runs.ts'

const ProcessArtifact = builder.prismaObject('ProcessArtifact', {
  description: 'Something that a run has made.',
  fields: t => ({
    run: t.field({
      type: 'ProcessRun',
      description: 'The run that made it.',
      resolve: ({ runId }, _args, context) => runOf(callerOf(context), runId),
    }),
    artifactType: t.exposeString('artifactType', { description: 'What kind of thing it is.' }),
    content: t.string({
      description: 'The thing itself.',
      complexity: 5,
      resolve: async ({ id }, _args, context) =>
        (await largeColumn<'process_artifacts', string>(
          callerOf(context),
          'process_artifacts',
          'content',
          id,
        )) ?? '',
    }),
    metadata: t.expose('metadata', {
      type: 'JSON',
      nullable: true,
      description: 'Whatever else its worker said of it.',
    }),
    replacedText: t.exposeBoolean('replacedText', {
      description: 'Whether U+FFFD stands for characters that cannot be stored.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was added.' }),
  }),
})
makeNode<'ProcessArtifact'>(ProcessArtifact, {
  id: artifact => artifact.id,
  load: artifactById,
})

const ArtifactConnection = builder.connectionObject({
  type: 'ProcessArtifact',
  name: 'ArtifactConnection',
  description: 'A page of artifacts.',
})

builder.prismaObjectField('ProcessRun', 'artifacts', t =>
  t.field({
    type: ArtifactConnection,
    description: 'What it has made, the oldest first.',
    args: { ...pageArgs },
    complexity: pageComplexity,
    resolve: ({ id }, page, context) => artifactsOf(callerOf(context), id, page),
  }),
)
