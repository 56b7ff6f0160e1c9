-- CreateTable
CREATE TABLE "push_deferrals" (
    "user_id" INTEGER NOT NULL,
    "from_message_id" BIGINT,
    "due_at" TIMESTAMPTZ(0) NOT NULL,
    "left_at" TIMESTAMPTZ(0),

    CONSTRAINT "push_deferrals_pkey" PRIMARY KEY ("user_id")
);

-- CreateIndex
CREATE INDEX "push_deferrals_due_at_idx" ON "push_deferrals"("due_at");
