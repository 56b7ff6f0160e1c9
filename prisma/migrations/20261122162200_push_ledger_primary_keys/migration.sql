-- Only names change hands here. No statement of the previous release names these keys (ON CONFLICT), and the first
-- columns stay the same, so that its look-ups take the new indexes.
SET LOCAL lock_timeout = '5s';

ALTER TABLE "push_notifications" DROP CONSTRAINT "push_notifications_pkey",
ADD CONSTRAINT "push_notifications_pkey" PRIMARY KEY USING INDEX "push_notifications_key";
ALTER TABLE "push_deliveries" DROP CONSTRAINT "push_deliveries_pkey",
ADD CONSTRAINT "push_deliveries_pkey" PRIMARY KEY USING INDEX "push_deliveries_key";
