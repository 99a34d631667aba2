import { builder } from '../core/builder.ts'
import { callerOf } from '../core/context.ts'
import { artifactOf } from './artifacts.ts'
import { RunStatus, StepStatus } from './enums.schema.ts'
import { llmCallOf } from './llm-calls.ts'
import type { RunHappening } from './processes.events.ts'
import { questionOf } from './questions.ts'
import {
  type RunEvent as Event,
  eventsAskedFor,
  eventsOf,
  maxEvents,
  type RunEventOf,
} from './run-events.ts'
import { runOf } from './runs.ts'
import { stepOf } from './steps.ts'

const typeNames: Record<RunHappening['type'], string> = {
  status: 'RunStatusChanged',
  step: 'RunStepChanged',
  asked: 'RunQuestionAsked',
  answered: 'RunQuestionAnswered',
  artifact: 'RunArtifactAdded',
  llmCall: 'RunLlmCalled',
  result: 'RunResultUpdated',
}

export const RunEvent = builder.interfaceRef<Event>('RunEvent').implement({
  description:
    'Something that happened in a run. It says what was true at that moment; `run` and `step` are as they are now.',
  resolveType: ({ payload }) => typeNames[payload.type],
  fields: t => ({
    seq: t.int({
      description: 'Which event of the run it is, counted from 1 without gaps.',
      resolve: ({ seq }) => seq ?? 0,
    }),
    at: t.expose('at', { type: 'DateTime', description: 'When it happened.' }),
    run: t.field({
      type: 'ProcessRun',
      description: 'The run, as it is now.',
      resolve: ({ subject }, _args, context) => runOf(callerOf(context), subject),
    }),
  }),
})

const eventType = <Type extends RunHappening['type']>(type: Type) =>
  builder.objectRef<RunEventOf<Type>>(typeNames[type])

eventType('status').implement({
  description: 'The run came into a status.',
  interfaces: [RunEvent],
  fields: t => ({
    from: t.field({
      type: RunStatus,
      nullable: true,
      description: 'The status before; null where it was made.',
      resolve: ({ payload }) => payload.from,
    }),
    to: t.field({
      type: RunStatus,
      description: 'The status from then on.',
      resolve: ({ payload }) => payload.to,
    }),
    errorText: t.string({
      nullable: true,
      description: 'Why it failed, is degraded or was cancelled.',
      resolve: ({ payload }) => payload.errorText,
    }),
  }),
})

const alias = 'Beside that of a run it needs an alias, since it is of another type.'

eventType('step').implement({
  description: 'A step came into a status.',
  interfaces: [RunEvent],
  fields: t => ({
    step: t.field({
      type: 'ProcessRunStep',
      description: 'The step, as it is now.',
      resolve: ({ payload }, _args, context) => stepOf(callerOf(context), payload.stepId),
    }),
    from: t.field({
      type: StepStatus,
      nullable: true,
      description: `The status before; null where it was made. ${alias}`,
      resolve: ({ payload }) => payload.from,
    }),
    to: t.field({
      type: StepStatus,
      description: `The status from then on. ${alias}`,
      resolve: ({ payload }) => payload.to,
    }),
    errorText: t.string({
      nullable: true,
      description: 'Why it failed.',
      resolve: ({ payload }) => payload.errorText,
    }),
  }),
})

eventType('asked').implement({
  description: 'The run asked a question and waits for the answer.',
  interfaces: [RunEvent],
  fields: t => ({
    question: t.field({
      type: 'RunQuestion',
      description: 'The question, as it was asked: without an answer.',
      async resolve({ payload }, _args, context) {
        const question = await questionOf(callerOf(context), payload.questionId)
        return { ...question, answeredAt: null, answer: null }
      },
    }),
  }),
})

eventType('answered').implement({
  description: 'The question was answered.',
  interfaces: [RunEvent],
  fields: t => ({
    question: t.field({
      type: 'RunQuestion',
      description: 'The question with its answer.',
      resolve: ({ payload }, _args, context) => questionOf(callerOf(context), payload.questionId),
    }),
  }),
})

eventType('artifact').implement({
  description: 'The run made something.',
  interfaces: [RunEvent],
  fields: t => ({
    artifact: t.field({
      type: 'ProcessArtifact',
      description: 'What it made.',
      resolve: ({ payload }, _args, context) => artifactOf(callerOf(context), payload.artifactId),
    }),
  }),
})

eventType('llmCall').implement({
  description: 'The run called a language model.',
  interfaces: [RunEvent],
  fields: t => ({
    llmCall: t.field({
      type: 'LlmCall',
      description: 'The call.',
      resolve: ({ payload }, _args, context) => llmCallOf(callerOf(context), payload.llmCallId),
    }),
  }),
})

eventType('result').implement({
  description: 'The worker reported a result before the end, or one that came too late.',
  interfaces: [RunEvent],
  fields: t => ({
    partialResult: t.field({
      type: 'JSON',
      nullable: true,
      description: 'The result.',
      complexity: 5,
      resolve: ({ payload }) => payload.partialResult,
    }),
    late: t.boolean({
      description: 'Whether the run had ended already; then the result is kept here alone.',
      resolve: ({ payload }) => payload.late,
    }),
  }),
})

builder.prismaObjectField('ProcessRun', 'events', t =>
  t.field({
    type: [RunEvent],
    description:
      'What happened in it, in order, as far as it is still kept. Where events are large there can be fewer than asked for: go on from the last seq until it is `lastSeq`.',
    args: {
      after: t.arg.int({
        required: true,
        defaultValue: 0,
        description: 'The seq of an event; those behind it are answered.',
      }),
      first: t.arg.int({
        description: `How many, 0 to ${maxEvents.toLocaleString('en')}; ${eventsAskedFor(null)} without it.`,
      }),
    },
    complexity: ({ first }) => ({
      multiplier: Math.min(Math.max(eventsAskedFor(first), 0), maxEvents),
    }),
    resolve: ({ id }, args, context) => eventsOf(callerOf(context), id, args),
  }),
)
