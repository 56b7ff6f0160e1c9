-- AlterTable
ALTER TABLE "users" ADD COLUMN     "push_reminder_seconds" INTEGER NOT NULL DEFAULT 0;

-- CreateTable
CREATE TABLE "push_reminders" (
    "user_id" INTEGER NOT NULL,
    "message_id" BIGINT NOT NULL,
    "notification_id" UUID NOT NULL,
    "sent" SMALLINT NOT NULL DEFAULT 0,
    "is_held" BOOLEAN NOT NULL DEFAULT false,
    "due_at" TIMESTAMPTZ(0) NOT NULL,

    CONSTRAINT "push_reminders_pkey" PRIMARY KEY ("user_id","message_id")
);

-- Rows come and go with the messages: plans must know their number.
ALTER TABLE "push_reminders" SET (
    autovacuum_vacuum_scale_factor = 0.02,
    autovacuum_analyze_scale_factor = 0,
    autovacuum_analyze_threshold = 200
);

-- CreateIndex
CREATE INDEX "push_reminders_due_at_idx" ON "push_reminders"("due_at");
