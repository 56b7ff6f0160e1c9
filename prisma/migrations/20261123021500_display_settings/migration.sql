-- AlterTable
ALTER TABLE "users" ADD COLUMN     "display_settings" JSONB NOT NULL DEFAULT '{}';
