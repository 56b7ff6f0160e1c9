-- AlterTable
ALTER TABLE "notices" ADD COLUMN     "is_for_followers" BOOLEAN NOT NULL DEFAULT false;
