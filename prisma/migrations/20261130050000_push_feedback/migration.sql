-- CreateTable
CREATE TABLE "push_feedback" (
    "id" UUID NOT NULL,
    "ended_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "due_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "notification_id" UUID NOT NULL,
    "realm_id" INTEGER,
    "user_id" INTEGER,
    "platform" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "app_id" TEXT,
    "outcome" TEXT NOT NULL,
    "reason" TEXT,
    "attempts" INTEGER NOT NULL,
    "device" TEXT,

    CONSTRAINT "push_feedback_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "push_feedback_due_at_idx" ON "push_feedback"("due_at");

-- CreateIndex
CREATE INDEX "push_feedback_ended_at_idx" ON "push_feedback"("ended_at");

-- Each event leaves a dead row behind when it is taken. At the default of a fifth of the table the first vacuum would come late.
ALTER TABLE "push_feedback" SET (autovacuum_vacuum_scale_factor = 0.01);
