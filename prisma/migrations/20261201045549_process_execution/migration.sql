-- AlterTable
ALTER TABLE "process_runs" ADD COLUMN     "scheduled_for" TIMESTAMPTZ(3);

-- CreateIndex
CREATE UNIQUE INDEX "process_runs_process_id_scheduled_for_key" ON "process_runs"("process_id", "scheduled_for");
