import type { Caller } from '../core/context.ts'
import { type Json, replaceUnstorableJson } from '../core/json.ts'
import { normalizeName } from '../core/names.ts'
import { query } from '../core/query.ts'
import { sql } from '../core/sql.ts'
import { replaceUnstorable } from '../core/text.ts'
import type { ProcessArtifact } from '../generated/prisma/client.ts'
import { withLease } from './lease.ts'
import { appendToRun } from './processes.events.ts'
import { artifactColumns } from './processes.sql.ts'

export interface AddArtifact {
  artifactType: string
  content: string
  metadata?: Json | undefined
}

/** @throws FORBIDDEN, LEASE_LOST, BAD_USER_INPUT, and ILLEGAL_TRANSITION where the run has ended */
export async function addArtifact(
  caller: Caller,
  lease: string,
  input: AddArtifact,
): Promise<ProcessArtifact> {
  const artifactType = normalizeName(input.artifactType, 'input.artifactType', 200)
  const content = replaceUnstorable(input.content)
  const metadata = replaceUnstorableJson(input.metadata ?? null)
  return withLease(caller, lease, async (tx, run) => {
    const [artifact] = await query<ProcessArtifact>(
      tx,
      sql`insert into process_artifacts as a (run_id, artifact_type, content, metadata, replaced_text)
        values (${run.id}::uuid, ${artifactType}, ${content.text},
          ${input.metadata == null ? null : JSON.stringify(metadata.value)}::jsonb,
          ${content.replaced || metadata.replaced})
        returning ${artifactColumns}`,
    )
    if (!artifact) throw new Error('an artifact was not inserted')
    await appendToRun(tx, run, [{ type: 'artifact', artifactId: artifact.id }])
    return artifact
  })
}
