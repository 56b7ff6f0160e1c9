SET LOCAL lock_timeout = '5s';

-- AlterTable
ALTER TABLE "realms" ADD COLUMN     "description" TEXT NOT NULL DEFAULT '';
