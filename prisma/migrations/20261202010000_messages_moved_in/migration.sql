-- AlterTable
ALTER TABLE "user_messages" ADD COLUMN     "is_moved_in" BOOLEAN NOT NULL DEFAULT false;
