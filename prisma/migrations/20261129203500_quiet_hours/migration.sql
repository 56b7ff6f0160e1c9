-- AlterTable
ALTER TABLE "push_deferrals" ADD COLUMN     "held_from_message_id" BIGINT,
ADD COLUMN     "held_until" TIMESTAMPTZ(0),
ADD COLUMN     "hold_cause" TEXT;

-- AlterTable
ALTER TABLE "users" ADD COLUMN     "push_delay_seconds" INTEGER NOT NULL DEFAULT 0,
ADD COLUMN     "push_quiet_times" tstzmultirange,
ADD COLUMN     "push_snoozed_until" BIGINT NOT NULL DEFAULT 0;
