SET LOCAL lock_timeout = '5s';

-- AlterTable
ALTER TABLE "attachments" ADD COLUMN "claimed_at" TIMESTAMPTZ(3);

-- What the clean-up has not settled is a small part of the table. Named in test/integration/migrations.
CREATE INDEX "attachments_unclaimed_idx" ON "attachments" ("created_at", "id") WHERE "claimed_at" IS NULL;
