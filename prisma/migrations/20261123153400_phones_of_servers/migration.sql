SET LOCAL lock_timeout = '2s';

-- AlterTable
ALTER TABLE "remote_servers" ADD COLUMN "device_limit" INTEGER;
