-- No row is rewritten: existing rows get constants. The previous release does not name the columns.
SET LOCAL lock_timeout = '5s';

-- AlterTable
ALTER TABLE "user_messages" ADD COLUMN     "is_collapsed" BOOLEAN NOT NULL DEFAULT false,
ADD COLUMN     "is_historical" BOOLEAN NOT NULL DEFAULT false;
