SET LOCAL lock_timeout = '5s';

-- AlterTable
ALTER TABLE "realms" ADD COLUMN "announcement_channel_id" INTEGER;
