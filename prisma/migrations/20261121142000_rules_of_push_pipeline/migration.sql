-- What is still to be sent is a small part of the ledger: found by device, in order, and page by page. The
-- time of a delivery is in no index, so that a lease rewrites none.
CREATE INDEX "push_deliveries_pending_of_device_idx" ON "push_deliveries" ("device_id", "sequence") WHERE "state" = 'pending';
CREATE INDEX "push_deliveries_pending_in_order_idx" ON "push_deliveries" ("sequence") WHERE "state" = 'pending';
DROP INDEX "push_deliveries_pending_idx";
ALTER TABLE "push_deliveries" SET (fillfactor = 70);

-- What is on the screens of phones is little, and asked for by person.
CREATE INDEX "user_messages_pushed_idx" ON "user_messages" ("user_id", "message_id") WHERE "is_pushed";
