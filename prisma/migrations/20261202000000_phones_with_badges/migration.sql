-- AlterTable
ALTER TABLE "push_devices" ADD COLUMN     "wants_badge" BOOLEAN NOT NULL DEFAULT false;
