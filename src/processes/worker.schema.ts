import { builder } from '../core/builder.ts'
import { callerOf } from '../core/context.ts'
import type { FieldCost } from '../core/field-cost.ts'
import { addArtifact } from './add-artifact.ts'
import { askUser } from './ask.ts'
import { type ClaimedRun as Claimed, claimRuns } from './claim.ts'
import { RunStatus, StepStatus } from './enums.schema.ts'
import { finishRun, reportPartialResult } from './finish.ts'
import { heartbeatRun } from './lease.ts'
import { reportStep } from './report-step.ts'

const ClaimedRun = builder.objectRef<Claimed>('ClaimedRun').implement({
  description: 'A run that a worker has in hand.',
  fields: t => ({
    run: t.field({ type: 'ProcessRun', description: 'The run.', resolve: ({ run }) => run }),
    lease: t.exposeString('lease', {
      description: 'The secret with which the worker reports. It is shown this once.',
    }),
    expiresAt: t.expose('expiresAt', {
      type: 'DateTime',
      description: 'Until when the worker has to renew it with heartbeatRun.',
    }),
  }),
})

const StepInput = builder.inputType('StepInput', {
  description: 'What became of a step.',
  fields: t => ({
    stepKey: t.string({
      required: true,
      description: 'The name of the step within this claim of the run, 1 to 200 characters.',
    }),
    status: t.field({
      type: StepStatus,
      required: true,
      description: 'The status that it has come into.',
    }),
    errorText: t.string({ description: 'Why it failed.' }),
    outputPayload: t.field({ type: 'JSON', description: 'What came out of it.' }),
  }),
})

const ArtifactInput = builder.inputType('ArtifactInput', {
  description: 'Something that a run has made.',
  fields: t => ({
    artifactType: t.string({ required: true, description: 'Its kind, 1 to 200 characters.' }),
    content: t.string({ required: true, description: 'The thing itself, as text.' }),
    metadata: t.field({ type: 'JSON', description: 'What is known about it.' }),
  }),
})

const leaseDescription = 'The lease that claimRuns gave.'
const needsLease = 'LEASE_LOST without a lease that holds.'

builder.mutationFields(t => ({
  claimRuns: t.field({
    type: [ClaimedRun],
    description:
      'Gives a worker runs of active processes that wait for one, the oldest first, each to one worker alone. For workers and administrators.',
    args: {
      processCodes: t.arg.stringList({ description: 'Only of these; without it, of all.' }),
      worker: t.arg.string({
        required: true,
        description: 'What the worker calls itself, 1 to 200 characters.',
      }),
      max: t.arg.int({ required: true, defaultValue: 1, description: 'How many, 1 to 100.' }),
      leaseSeconds: t.arg.int({
        required: true,
        defaultValue: 60,
        description: 'For how long they are the worker’s until it renews, 5 to 3,600.',
      }),
    },
    complexity: ({ max }): FieldCost => ({ multiplier: Math.min(Math.max(max, 1), 100) }),
    resolve: (_root, args, context) => claimRuns(callerOf(context), args),
  }),
  heartbeatRun: t.field({
    type: 'DateTime',
    description: `Renews a lease and answers until when. LEASE_LOST where the worker has to stop.`,
    args: { lease: t.arg.string({ required: true, description: leaseDescription }) },
    resolve: (_root, { lease }, context) => heartbeatRun(callerOf(context), lease),
  }),
  reportStep: t.field({
    type: 'ProcessRunStep',
    description: `Reports a step. A repeat, and a start that is reported after the end, change nothing; an end without a start is ILLEGAL_TRANSITION. ${needsLease}`,
    args: {
      lease: t.arg.string({ required: true, description: leaseDescription }),
      input: t.arg({ type: StepInput, required: true, description: 'The step.' }),
    },
    resolve: (_root, { lease, input }, context) => reportStep(callerOf(context), lease, input),
  }),
  addArtifact: t.field({
    type: 'ProcessArtifact',
    description: `Adds something that the run has made. ${needsLease}`,
    args: {
      lease: t.arg.string({ required: true, description: leaseDescription }),
      input: t.arg({ type: ArtifactInput, required: true, description: 'What it made.' }),
    },
    resolve: (_root, { lease, input }, context) => addArtifact(callerOf(context), lease, input),
  }),
  reportPartialResult: t.field({
    type: 'ProcessRun',
    description: `Keeps what there is so far, in place of the last such result. ${needsLease}`,
    args: {
      lease: t.arg.string({ required: true, description: leaseDescription }),
      result: t.arg({ type: 'JSON', required: true, description: 'The result so far.' }),
    },
    resolve: (_root, { lease, result }, context) =>
      reportPartialResult(callerOf(context), lease, result ?? null),
  }),
  askUser: t.field({
    type: 'ProcessRun',
    description: `Asks the user a question, and gives the run up until it is answered. ${needsLease}`,
    args: {
      lease: t.arg.string({ required: true, description: leaseDescription }),
      prompt: t.arg.string({
        required: true,
        description: 'The question, 1 to 10,000 characters.',
      }),
      schema: t.arg({
        type: 'JSON',
        description: 'A JSON Schema (2020-12) that the answer has to meet, at most 100 kB.',
      }),
    },
    resolve: (_root, args, context) => askUser(callerOf(context), args),
  }),
  finishRun: t.field({
    type: 'ProcessRun',
    description: `Ends the run. A success whose result does not meet the process's output schema counts as degraded. ILLEGAL_TRANSITION where it has ended already; the late result is then kept as an event. ${needsLease}`,
    args: {
      lease: t.arg.string({ required: true, description: leaseDescription }),
      status: t.arg({
        type: RunStatus,
        required: true,
        description: 'SUCCEEDED, DEGRADED or FAILED.',
      }),
      result: t.arg({
        type: 'JSON',
        description: 'The result; a degraded run without one has its partial result.',
      }),
      errorText: t.arg.string({ description: 'Why it failed or is degraded.' }),
    },
    resolve: (_root, args, context) => finishRun(callerOf(context), args),
  }),
}))
