-- No release has the table.
-- squawk-ignore ban-drop-column
ALTER TABLE "web_push_subscriptions" DROP COLUMN "accepted_at",
ADD COLUMN     "failing_since" TIMESTAMPTZ(3);
