import { builder } from '../core/builder.ts'
import { writeGlobalId } from '../core/ids.ts'

builder.prismaObject('RunQuestion', {
  description: 'What a run asked the one who requested it, and waited for.',
  fields: t => ({
    id: t.id({
      description: 'The global id, for `questionId` of answerRun.',
      resolve: ({ id }) => writeGlobalId('RunQuestion', id),
    }),
    prompt: t.exposeString('prompt', { description: 'The question.' }),
    schema: t.expose('schema', {
      type: 'JSON',
      nullable: true,
      description: 'The JSON Schema that an answer must meet.',
    }),
    askedAt: t.expose('askedAt', { type: 'DateTime', description: 'When it was asked.' }),
    answeredAt: t.expose('answeredAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it was answered; null while it is open.',
    }),
    answer: t.expose('answer', {
      type: 'JSON',
      nullable: true,
      description: 'The answer.',
    }),
  }),
})
