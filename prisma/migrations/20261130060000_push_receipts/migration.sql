-- CreateTable
CREATE TABLE "push_receipts" (
    "notification_id" UUID NOT NULL,
    "device_id" INTEGER NOT NULL,
    "accepted_at" TIMESTAMPTZ(3) NOT NULL,
    "received_at" TIMESTAMPTZ(3),
    "displayed_at" TIMESTAMPTZ(3),
    "opened_at" TIMESTAMPTZ(3),
    "dismissed_at" TIMESTAMPTZ(3),

    CONSTRAINT "push_receipts_pkey" PRIMARY KEY ("notification_id","device_id")
);

-- CreateIndex
CREATE INDEX "push_receipts_accepted_at_idx" ON "push_receipts"("accepted_at");
