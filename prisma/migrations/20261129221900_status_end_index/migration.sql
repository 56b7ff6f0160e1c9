-- no transaction
-- The statuses that end.
CREATE INDEX CONCURRENTLY IF NOT EXISTS "user_statuses_expires_at_idx"
  ON "user_statuses" ("expires_at") WHERE "expires_at" IS NOT NULL;
