-- A constant default: no row is rewritten. Rows of the previous release are sent as it sends them.
-- AlterTable
ALTER TABLE "remote_deliveries" ADD COLUMN     "is_silent" BOOLEAN NOT NULL DEFAULT false;
