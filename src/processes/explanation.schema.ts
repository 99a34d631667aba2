import { builder } from '../core/builder.ts'
import { pageArgs, pageComplexity } from '../core/connection-args.ts'
import { callerOf } from '../core/context.ts'
import type { ProcessRun } from '../generated/prisma/client.ts'
import { artifactOf } from './artifacts.ts'
import {
  type ExplanationEntry,
  explanationEntries,
  originOf,
  promptOf,
  summaryOf,
} from './explanation.ts'
import { llmCallOf } from './llm-calls.ts'
import { questionOf } from './questions.ts'
import { stepOf } from './steps.ts'

const RunOrigin = builder.enumType('RunOrigin', {
  description: 'What started a run.',
  values: {
    USER: { value: 'user', description: 'A user: `requestedBy`.' },
    CHAT: { value: 'chat', description: 'A user in a chat: `chat`.' },
    MESSAGE: { value: 'message', description: 'A message of the log: `sourceMessageHash`.' },
    RERUN: { value: 'rerun', description: 'A user who repeats a run: `rerunOf`.' },
    SCHEDULE: { value: 'schedule', description: 'The schedule of the process: `scheduledFor`.' },
  } as const,
})

const EntryKind = builder.enumType('RunExplanationKind', {
  description: 'What an entry of an explanation tells of.',
  values: {
    STARTED: { value: 'started', description: 'A worker claimed the run for the first time.' },
    STEP: { value: 'step', description: 'A step ended, or is under way.' },
    LLM_CALL: { value: 'llmCall', description: 'A model was called.' },
    ARTIFACT: { value: 'artifact', description: 'Something was made.' },
    ASKED: { value: 'asked', description: 'A question was asked.' },
    ANSWERED: { value: 'answered', description: 'It was answered.' },
    ENDED: { value: 'ended', description: 'The run ended.' },
  } as const,
})

const Entry = builder.objectRef<ExplanationEntry>('RunExplanationEntry').implement({
  description: 'Something that happened in a run.',
  fields: t => ({
    at: t.expose('at', { type: 'DateTime', description: 'When it happened.' }),
    kind: t.expose('kind', { type: EntryKind, description: 'What it tells of.' }),
    name: t.exposeString('name', {
      description:
        'The worker, the key of the step, the model of the call, the type of the artifact, the question, or the status of the end.',
    }),
    status: t.exposeString('status', {
      nullable: true,
      description: 'Of a step and an end the status, of a call the HTTP status.',
    }),
    reason: t.exposeString('reason', {
      nullable: true,
      description:
        'Why it is as it is: an error, or what a validation found; up to 2,000 characters.',
    }),
    step: t.field({
      type: 'ProcessRunStep',
      nullable: true,
      description: 'The step that it tells of.',
      resolve: ({ kind, id }, _args, context) =>
        kind === 'step' ? stepOf(callerOf(context), id) : null,
    }),
    llmCall: t.field({
      type: 'LlmCall',
      nullable: true,
      description: 'The call that it tells of.',
      resolve: ({ kind, id }, _args, context) =>
        kind === 'llmCall' ? llmCallOf(callerOf(context), id) : null,
    }),
    artifact: t.field({
      type: 'ProcessArtifact',
      nullable: true,
      description: 'The artifact that it tells of.',
      resolve: ({ kind, id }, _args, context) =>
        kind === 'artifact' ? artifactOf(callerOf(context), id) : null,
    }),
    question: t.field({
      type: 'RunQuestion',
      nullable: true,
      description: 'The question that it tells of.',
      resolve: ({ kind, id }, _args, context) =>
        kind === 'asked' || kind === 'answered' ? questionOf(callerOf(context), id) : null,
    }),
  }),
})

const EntryConnection = builder.connectionObject({
  type: Entry,
  name: 'RunExplanationConnection',
  description: 'A page of entries.',
})

const RunExplanation = builder.objectRef<ProcessRun>('RunExplanation').implement({
  description: 'What a run did, and why it ended as it did, from what is kept of it.',
  fields: t => ({
    startedBy: t.field({ type: RunOrigin, description: 'What started it.', resolve: originOf }),
    summary: t.string({ description: 'The run in a few sentences.', resolve: summaryOf }),
    prompt: t.string({
      nullable: true,
      description: 'The prompt as it was rendered, where the step `render_prompt` has put it out.',
      complexity: 5,
      resolve: ({ id }, _args, context) => promptOf(callerOf(context), id),
    }),
    entries: t.field({
      type: EntryConnection,
      description:
        'What happened, in its order: steps with what they found, calls, questions, artifacts and the end.',
      args: { ...pageArgs },
      complexity: pageComplexity,
      resolve: ({ id }, page, context) => explanationEntries(callerOf(context), id, page),
    }),
  }),
})

builder.prismaObjectField('ProcessRun', 'explanation', t =>
  t.field({
    type: RunExplanation,
    description: 'What it did, and why it ended as it did.',
    resolve: run => run,
  }),
)
