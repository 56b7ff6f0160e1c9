SET LOCAL lock_timeout = '5s';

-- AlterTable
ALTER TABLE "realms" ADD COLUMN "message_retention_days" INTEGER;
