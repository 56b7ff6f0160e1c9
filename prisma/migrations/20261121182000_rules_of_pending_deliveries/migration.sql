-- Statistics of a moment when nothing is pending make this index look empty, and the planner then prefers it to
-- looking up a device. It is for those who page through what is pending: they say that the sequence is positive.
DROP INDEX "push_deliveries_pending_in_order_idx";
CREATE INDEX "push_deliveries_pending_in_order_idx" ON "push_deliveries" ("sequence") WHERE "state" = 'pending' AND "sequence" > 0;
