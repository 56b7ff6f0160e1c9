SET LOCAL lock_timeout = '5s';

-- AlterTable
ALTER TABLE "attachments" ADD COLUMN "unlinked_at" TIMESTAMPTZ(3);
