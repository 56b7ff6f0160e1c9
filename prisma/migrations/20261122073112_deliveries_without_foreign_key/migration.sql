-- DropForeignKey
ALTER TABLE "push_deliveries" DROP CONSTRAINT "push_deliveries_notification_id_fkey";
