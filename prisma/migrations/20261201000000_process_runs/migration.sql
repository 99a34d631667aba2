-- CreateEnum
CREATE TYPE "process_status" AS ENUM ('draft', 'active', 'paused', 'archived');

-- CreateEnum
CREATE TYPE "run_status" AS ENUM ('queued', 'running', 'waiting_user', 'succeeded', 'degraded', 'failed', 'cancelled');

-- CreateEnum
CREATE TYPE "step_status" AS ENUM ('queued', 'running', 'succeeded', 'failed', 'skipped');

-- CreateTable
CREATE TABLE "core"."changes" (
    "id" BIGSERIAL NOT NULL,
    "xact" xid8 NOT NULL DEFAULT pg_current_xact_id(),
    "topic" TEXT NOT NULL,
    "subject" TEXT NOT NULL,
    "seq" INTEGER,
    "payload" JSONB NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT clock_timestamp(),

    CONSTRAINT "changes_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "core"."change_log" (
    "is_only" BOOLEAN NOT NULL DEFAULT true,
    "epoch" UUID NOT NULL DEFAULT gen_random_uuid(),
    "trimmed" xid8 NOT NULL DEFAULT '0'::xid8,

    CONSTRAINT "change_log_pkey" PRIMARY KEY ("is_only")
);

-- CreateTable
CREATE TABLE "processes" (
    "id" UUID NOT NULL DEFAULT gen_random_uuid(),
    "code" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "description" TEXT,
    "prompt_template" TEXT,
    "default_model" TEXT,
    "n8n_workflow_id" TEXT,
    "n8n_webhook_path" TEXT,
    "output_schema" JSONB,
    "auto_run" BOOLEAN NOT NULL DEFAULT false,
    "status" "process_status" NOT NULL DEFAULT 'draft',
    "metadata" JSONB NOT NULL DEFAULT '{}',
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "processes_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "process_runs" (
    "id" UUID NOT NULL DEFAULT gen_random_uuid(),
    "process_id" UUID NOT NULL,
    "requested_by" UUID,
    "chat_id" UUID,
    "source_message_id" CHAR(64),
    "input_text" TEXT,
    "input_payload" JSONB,
    "status" "run_status" NOT NULL DEFAULT 'queued',
    "n8n_execution_id" TEXT,
    "result_payload" JSONB,
    "partial_result" JSONB,
    "error_text" TEXT,
    "replaced_text" BOOLEAN NOT NULL DEFAULT false,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "started_at" TIMESTAMPTZ(3),
    "finished_at" TIMESTAMPTZ(3),
    "rerun_of" UUID,
    "idempotency_key" TEXT,
    "attempt" INTEGER NOT NULL DEFAULT 0,
    "last_seq" INTEGER NOT NULL DEFAULT 0,
    "deadline_at" TIMESTAMPTZ(3),
    "lease_hash" CHAR(64),
    "lease_expires_at" TIMESTAMPTZ(3),
    "lease_seconds" INTEGER,
    "worker" TEXT,
    "claimed_by" UUID,

    CONSTRAINT "process_runs_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "process_run_steps" (
    "id" UUID NOT NULL DEFAULT gen_random_uuid(),
    "run_id" UUID NOT NULL,
    "attempt" INTEGER NOT NULL,
    "step_key" TEXT NOT NULL,
    "status" "step_status" NOT NULL,
    "started_at" TIMESTAMPTZ(3),
    "finished_at" TIMESTAMPTZ(3),
    "error_text" TEXT,
    "replaced_text" BOOLEAN NOT NULL DEFAULT false,
    "output_payload" JSONB,
    "position" INTEGER NOT NULL,

    CONSTRAINT "process_run_steps_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "process_artifacts" (
    "id" UUID NOT NULL DEFAULT gen_random_uuid(),
    "run_id" UUID NOT NULL,
    "artifact_type" TEXT NOT NULL,
    "content" TEXT NOT NULL,
    "metadata" JSONB,
    "replaced_text" BOOLEAN NOT NULL DEFAULT false,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "process_artifacts_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "process_run_questions" (
    "id" UUID NOT NULL DEFAULT gen_random_uuid(),
    "run_id" UUID NOT NULL,
    "prompt" TEXT NOT NULL,
    "schema" JSONB,
    "asked_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "answered_at" TIMESTAMPTZ(3),
    "answer" JSONB,

    CONSTRAINT "process_run_questions_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "llm_calls" (
    "id" BIGSERIAL NOT NULL,
    "scope" TEXT NOT NULL,
    "process_id" UUID,
    "run_id" UUID,
    "step_id" UUID,
    "recorded_by" UUID,
    "model" TEXT NOT NULL,
    "endpoint" TEXT NOT NULL,
    "request_json" JSONB NOT NULL,
    "response_json" JSONB,
    "latency_ms" INTEGER,
    "http_status" INTEGER,
    "error_text" TEXT,
    "prompt_tokens" INTEGER,
    "completion_tokens" INTEGER,
    "replaced_text" BOOLEAN NOT NULL DEFAULT false,
    "idempotency_key" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "llm_calls_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "changes_xact_id_idx" ON "core"."changes"("xact", "id");

-- CreateIndex
CREATE INDEX "changes_created_at_idx" ON "core"."changes"("created_at");

-- CreateIndex
CREATE UNIQUE INDEX "changes_topic_subject_seq_key" ON "core"."changes"("topic", "subject", "seq");

-- CreateIndex
CREATE UNIQUE INDEX "processes_code_key" ON "processes"("code");

-- CreateIndex
CREATE UNIQUE INDEX "process_runs_lease_hash_key" ON "process_runs"("lease_hash");

-- CreateIndex
CREATE INDEX "process_runs_created_at_id_idx" ON "process_runs"("created_at", "id");

-- CreateIndex
CREATE INDEX "process_runs_process_id_created_at_id_idx" ON "process_runs"("process_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "process_runs_requested_by_created_at_id_idx" ON "process_runs"("requested_by", "created_at", "id");

-- CreateIndex
CREATE INDEX "process_runs_requested_by_process_id_idx" ON "process_runs"("requested_by", "process_id");

-- CreateIndex
CREATE INDEX "process_runs_chat_id_created_at_id_idx" ON "process_runs"("chat_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "process_runs_status_created_at_id_idx" ON "process_runs"("status", "created_at", "id");

-- CreateIndex
CREATE INDEX "process_runs_claimed_by_created_at_id_idx" ON "process_runs"("claimed_by", "created_at", "id");

-- CreateIndex
CREATE INDEX "process_runs_rerun_of_idx" ON "process_runs"("rerun_of");

-- CreateIndex
CREATE UNIQUE INDEX "process_runs_requested_by_idempotency_key_key" ON "process_runs"("requested_by", "idempotency_key");

-- CreateIndex
CREATE INDEX "process_run_steps_run_id_position_idx" ON "process_run_steps"("run_id", "position");

-- CreateIndex
CREATE UNIQUE INDEX "process_run_steps_run_id_attempt_step_key_key" ON "process_run_steps"("run_id", "attempt", "step_key");

-- CreateIndex
CREATE INDEX "process_artifacts_run_id_created_at_id_idx" ON "process_artifacts"("run_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "process_run_questions_run_id_asked_at_id_idx" ON "process_run_questions"("run_id", "asked_at", "id");

-- CreateIndex
CREATE INDEX "llm_calls_created_at_id_idx" ON "llm_calls"("created_at", "id");

-- CreateIndex
CREATE INDEX "llm_calls_run_id_created_at_id_idx" ON "llm_calls"("run_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "llm_calls_process_id_created_at_id_idx" ON "llm_calls"("process_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "llm_calls_recorded_by_created_at_id_idx" ON "llm_calls"("recorded_by", "created_at", "id");

-- CreateIndex
CREATE INDEX "llm_calls_step_id_idx" ON "llm_calls"("step_id");

-- CreateIndex
CREATE UNIQUE INDEX "llm_calls_recorded_by_idempotency_key_key" ON "llm_calls"("recorded_by", "idempotency_key");

-- AddForeignKey
ALTER TABLE "process_runs" ADD CONSTRAINT "process_runs_process_id_fkey" FOREIGN KEY ("process_id") REFERENCES "processes"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "process_runs" ADD CONSTRAINT "process_runs_requested_by_fkey" FOREIGN KEY ("requested_by") REFERENCES "core"."users"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "process_runs" ADD CONSTRAINT "process_runs_claimed_by_fkey" FOREIGN KEY ("claimed_by") REFERENCES "core"."users"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "process_runs" ADD CONSTRAINT "process_runs_chat_id_fkey" FOREIGN KEY ("chat_id") REFERENCES "core"."chats"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "process_runs" ADD CONSTRAINT "process_runs_rerun_of_fkey" FOREIGN KEY ("rerun_of") REFERENCES "process_runs"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "process_run_steps" ADD CONSTRAINT "process_run_steps_run_id_fkey" FOREIGN KEY ("run_id") REFERENCES "process_runs"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "process_artifacts" ADD CONSTRAINT "process_artifacts_run_id_fkey" FOREIGN KEY ("run_id") REFERENCES "process_runs"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "process_run_questions" ADD CONSTRAINT "process_run_questions_run_id_fkey" FOREIGN KEY ("run_id") REFERENCES "process_runs"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "llm_calls" ADD CONSTRAINT "llm_calls_process_id_fkey" FOREIGN KEY ("process_id") REFERENCES "processes"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "llm_calls" ADD CONSTRAINT "llm_calls_run_id_fkey" FOREIGN KEY ("run_id") REFERENCES "process_runs"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "llm_calls" ADD CONSTRAINT "llm_calls_step_id_fkey" FOREIGN KEY ("step_id") REFERENCES "process_run_steps"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "llm_calls" ADD CONSTRAINT "llm_calls_recorded_by_fkey" FOREIGN KEY ("recorded_by") REFERENCES "core"."users"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- The change log: what was written stays as it is. Only its trimming takes rows away, and only a
-- restore into another cluster, whose transactions are counted anew, gives them another xact.
INSERT INTO "core"."change_log" DEFAULT VALUES;
ALTER TABLE "core"."change_log" ADD CONSTRAINT "change_log_is_only_check" CHECK ("is_only");

CREATE FUNCTION "core"."refuse_change"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '% of %.% is refused: it can be added to only', TG_OP, TG_TABLE_SCHEMA, TG_TABLE_NAME
    USING ERRCODE = 'insufficient_privilege';
END $$;

CREATE TRIGGER "changes_are_kept" BEFORE UPDATE OF "id", "topic", "subject", "seq", "payload", "created_at"
ON "core"."changes" FOR EACH ROW EXECUTE FUNCTION "core"."refuse_change"();

-- Who may do what has changed, whichever way it was written: open streams ask again.
CREATE FUNCTION "core"."note_access"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  "user_id" uuid;
BEGIN
  IF TG_TABLE_NAME = 'users' THEN "user_id" := NEW."id";
  ELSIF TG_OP = 'DELETE' THEN "user_id" := OLD."user_id";
  ELSE "user_id" := NEW."user_id";
  END IF;
  INSERT INTO "core"."changes" ("topic", "subject", "payload") VALUES ('access', "user_id"::text, '{}');
  RETURN NULL;
END $$;

CREATE TRIGGER "users_access" AFTER UPDATE OF "role", "disabled_at", "login" ON "core"."users" FOR EACH ROW
WHEN (OLD."role" <> NEW."role" OR OLD."disabled_at" IS DISTINCT FROM NEW."disabled_at" OR OLD."login" <> NEW."login")
EXECUTE FUNCTION "core"."note_access"();
CREATE TRIGGER "api_tokens_access" AFTER UPDATE OF "revoked_at", "expires_at", "llm_id", "kind" ON "core"."api_tokens" FOR EACH ROW
WHEN (OLD."revoked_at" IS DISTINCT FROM NEW."revoked_at" OR OLD."expires_at" IS DISTINCT FROM NEW."expires_at"
  OR OLD."llm_id" IS DISTINCT FROM NEW."llm_id" OR OLD."kind" <> NEW."kind")
EXECUTE FUNCTION "core"."note_access"();
CREATE TRIGGER "api_tokens_gone" AFTER DELETE ON "core"."api_tokens" FOR EACH ROW
EXECUTE FUNCTION "core"."note_access"();
CREATE TRIGGER "group_members_access" AFTER INSERT OR DELETE ON "core"."group_members" FOR EACH ROW
EXECUTE FUNCTION "core"."note_access"();

-- What waits for a worker, oldest first; and what may be over its time.
CREATE INDEX "process_runs_claimable" ON "process_runs" ("created_at", "id")
WHERE "lease_expires_at" IS NULL AND "status" IN ('queued', 'running');
CREATE INDEX "process_runs_leased" ON "process_runs" ("lease_expires_at") WHERE "lease_expires_at" IS NOT NULL;
CREATE INDEX "process_runs_due" ON "process_runs" ("deadline_at") WHERE "deadline_at" IS NOT NULL;
-- The order of runs by their end, in which what has not ended is the latest.
CREATE INDEX "process_runs_finished" ON "process_runs"
(coalesce("finished_at", timestamptz '9999-12-31 00:00:00+00'), "id");
CREATE INDEX "llm_calls_failed" ON "llm_calls" ("created_at", "id")
WHERE "error_text" IS NOT NULL OR coalesce("http_status" >= 400, false);

ALTER TABLE "process_runs" ADD CONSTRAINT "process_runs_finished_check" CHECK (
  ("status" IN ('succeeded', 'degraded', 'failed', 'cancelled')) = ("finished_at" IS NOT NULL));
-- Only what runs is leased, and only what has not ended can be late.
ALTER TABLE "process_runs" ADD CONSTRAINT "process_runs_lease_check" CHECK (
  "lease_expires_at" IS NULL OR "status" = 'running' AND "lease_hash" IS NOT NULL);
ALTER TABLE "process_runs" ADD CONSTRAINT "process_runs_deadline_check" CHECK (
  "deadline_at" IS NULL OR "finished_at" IS NULL);

-- The life of a run. Commands write conditionally; this holds whoever writes, and however.
CREATE FUNCTION "core"."run_lifecycle"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    IF NEW."status" = 'queued' THEN RETURN NEW; END IF;
    RAISE EXCEPTION 'a run begins queued, not %', NEW."status" USING ERRCODE = 'EG001';
  END IF;
  IF NEW."status" = OLD."status" THEN
    IF OLD."finished_at" IS NULL
      OR (NEW."result_payload"::text, NEW."error_text", NEW."finished_at")
        IS NOT DISTINCT FROM (OLD."result_payload"::text, OLD."error_text", OLD."finished_at") THEN
      RETURN NEW;
    END IF;
    RAISE EXCEPTION 'the end of a run stays as it is' USING ERRCODE = 'EG001';
  END IF;
  IF (OLD."status" = 'queued' AND NEW."status" IN ('running', 'cancelled', 'failed'))
    OR (OLD."status" = 'running' AND NEW."status" IN ('succeeded', 'degraded', 'failed', 'waiting_user', 'cancelled'))
    OR (OLD."status" = 'waiting_user' AND NEW."status" IN ('running', 'cancelled', 'failed')) THEN
    RETURN NEW;
  END IF;
  RAISE EXCEPTION 'a run that is % cannot become %', OLD."status", NEW."status" USING ERRCODE = 'EG001';
END $$;

CREATE TRIGGER "process_runs_lifecycle" BEFORE INSERT OR UPDATE ON "process_runs"
FOR EACH ROW EXECUTE FUNCTION "core"."run_lifecycle"();

-- At most one question of a run is open.
CREATE UNIQUE INDEX "process_run_questions_open" ON "process_run_questions" ("run_id") WHERE "answered_at" IS NULL;

CREATE SCHEMA "mart";
CREATE VIEW "mart"."vw_process_performance" AS
SELECT p."id" AS "process_id", p."code", p."name", p."status",
  r."total", r."queued", r."running", r."waiting_user", r."succeeded", r."degraded", r."failed", r."cancelled",
  r."success_rate",
  r."queue_wait"[1] AS "queue_wait_ms_p50", r."queue_wait"[2] AS "queue_wait_ms_p95", r."queue_wait"[3] AS "queue_wait_ms_p99",
  r."duration"[1] AS "duration_ms_p50", r."duration"[2] AS "duration_ms_p95", r."duration"[3] AS "duration_ms_p99",
  c."llm_calls", c."prompt_tokens", c."completion_tokens",
  r."last_run_at"
FROM "public"."processes" p
CROSS JOIN LATERAL (
  SELECT count(*) AS "total",
    count(*) FILTER (WHERE "status" = 'queued') AS "queued",
    count(*) FILTER (WHERE "status" = 'running') AS "running",
    count(*) FILTER (WHERE "status" = 'waiting_user') AS "waiting_user",
    count(*) FILTER (WHERE "status" = 'succeeded') AS "succeeded",
    count(*) FILTER (WHERE "status" = 'degraded') AS "degraded",
    count(*) FILTER (WHERE "status" = 'failed') AS "failed",
    count(*) FILTER (WHERE "status" = 'cancelled') AS "cancelled",
    -- Of those that ended by themselves; a degraded run did not do all that was asked.
    count(*) FILTER (WHERE "status" = 'succeeded')::float8
      / nullif(count(*) FILTER (WHERE "status" IN ('succeeded', 'degraded', 'failed')), 0) AS "success_rate",
    percentile_cont(ARRAY[0.5, 0.95, 0.99]) WITHIN GROUP (
      ORDER BY 1000 * extract(epoch FROM "started_at" - "created_at")::float8) AS "queue_wait",
    percentile_cont(ARRAY[0.5, 0.95, 0.99]) WITHIN GROUP (
      ORDER BY 1000 * extract(epoch FROM "finished_at" - "started_at")::float8) AS "duration",
    max("created_at") AS "last_run_at"
  FROM "public"."process_runs" WHERE "process_id" = p."id") r
CROSS JOIN LATERAL (
  SELECT count(*) AS "llm_calls", coalesce(sum("prompt_tokens"), 0) AS "prompt_tokens",
    coalesce(sum("completion_tokens"), 0) AS "completion_tokens"
  FROM "public"."llm_calls" WHERE "process_id" = p."id") c;
