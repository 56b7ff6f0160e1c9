-- CreateTable
CREATE TABLE "push_deferrals" (
    "user_id" INTEGER NOT NULL,
    "from_message_id" BIGINT,
    "due_at" TIMESTAMPTZ(0) NOT NULL,
    "left_at" TIMESTAMPTZ(0),

    CONSTRAINT "push_deferrals_pkey" PRIMARY KEY ("user_id")
);

-- Many rows come and go with the working hours: plans must know their number.
ALTER TABLE "push_deferrals" SET (
    autovacuum_vacuum_scale_factor = 0.02,
    autovacuum_analyze_scale_factor = 0,
    autovacuum_analyze_threshold = 200
);

-- CreateIndex
CREATE INDEX "push_deferrals_due_at_idx" ON "push_deferrals"("due_at");
