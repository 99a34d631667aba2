import { builder } from '../core/builder.ts'
import { callerOf } from '../core/context.ts'
import type { Json } from '../core/json.ts'
import { makeNode } from '../core/node.ts'
import { StepStatus } from './enums.schema.ts'
import { largeColumn } from './large-columns.ts'
import { runOf } from './runs.ts'
import { stepById, stepsOf } from './steps.ts'

const ProcessRunStep = builder.prismaObject('ProcessRunStep', {
  description: 'A step of a run.',
  fields: t => ({
    run: t.field({
      type: 'ProcessRun',
      description: 'The run that it is a step of.',
      resolve: ({ runId }, _args, context) => runOf(callerOf(context), runId),
    }),
    attempt: t.exposeInt('attempt', {
      description: 'The claim of the run that it belongs to: each claim begins its steps anew.',
    }),
    stepKey: t.exposeString('stepKey', {
      description: 'What it does, unique within its attempt.',
    }),
    status: t.expose('status', { type: StepStatus, description: 'Where it stands.' }),
    startedAt: t.expose('startedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it started.',
    }),
    finishedAt: t.expose('finishedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it ended.',
    }),
    errorText: t.exposeString('errorText', { nullable: true, description: 'Why it failed.' }),
    replacedText: t.exposeBoolean('replacedText', {
      description: 'Whether U+FFFD stands for characters that cannot be stored.',
    }),
    outputPayload: t.field({
      type: 'JSON',
      nullable: true,
      description: 'What it has made.',
      complexity: 5,
      resolve: ({ id }, _args, context) =>
        largeColumn<'process_run_steps', Json>(
          callerOf(context),
          'process_run_steps',
          'output_payload',
          id,
        ),
    }),
  }),
})
makeNode<'ProcessRunStep'>(ProcessRunStep, { id: step => step.id, load: stepById })

builder.prismaObjectField('ProcessRun', 'steps', t =>
  t.field({
    type: ['ProcessRunStep'],
    description: 'Its steps, those of earlier attempts first; at most 1,000.',
    complexity: { multiplier: 20 },
    resolve: ({ id }, _args, context) => stepsOf(callerOf(context), id),
  }),
)
