-- The indexes of the new primary keys. Building them blocks writes to the ledger, not reads; a transaction of their own
-- keeps that apart from the locks of the other steps.
SET LOCAL lock_timeout = '5s';

CREATE UNIQUE INDEX "push_notifications_key" ON "push_notifications" ("id", "accepted_at", "realm_id");
CREATE UNIQUE INDEX "push_deliveries_key" ON "push_deliveries" ("notification_id", "device_id", "accepted_at", "realm_id");
