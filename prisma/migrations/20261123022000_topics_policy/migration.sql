SET LOCAL lock_timeout = '5s';

-- AlterTable
ALTER TABLE "realms" ADD COLUMN     "topics_policy" TEXT NOT NULL DEFAULT 'allow_empty_topic';
