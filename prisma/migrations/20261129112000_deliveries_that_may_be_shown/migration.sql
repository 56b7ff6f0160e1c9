-- A constant default: no row is rewritten. Rows of before, and those that the previous release attempts, count as shown.
-- AlterTable
ALTER TABLE "push_deliveries" ADD COLUMN     "may_be_shown" BOOLEAN NOT NULL DEFAULT true;
