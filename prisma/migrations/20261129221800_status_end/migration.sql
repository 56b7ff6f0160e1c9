-- AlterTable
ALTER TABLE "user_statuses" ADD COLUMN     "expires_at" TIMESTAMPTZ(0);
