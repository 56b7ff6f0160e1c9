SET LOCAL lock_timeout = '2s';

-- AlterTable
ALTER TABLE "push_service_uploads" ADD COLUMN "worked_at" TIMESTAMPTZ(3);
