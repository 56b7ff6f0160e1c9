-- no transaction
-- The pending deliveries of a platform in the order of their acceptance. Their due times are in no index, so that a lease
-- writes none. Named in test/integration/migrations.
-- Only the sweep says that ids are positive: other statements would take the index for empty, if nothing was pending when
-- PostgreSQL planned them.
CREATE INDEX CONCURRENTLY IF NOT EXISTS "remote_deliveries_pending_in_order_idx"
  ON "remote_deliveries" ("platform", "id") WHERE "state" = 'pending' AND "id" > 0;
