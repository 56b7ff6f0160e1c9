-- no transaction
-- The accounts whose quiet times have to be continued.
CREATE INDEX CONCURRENTLY IF NOT EXISTS "users_push_quiet_times_end_idx"
  ON "users" (upper("push_quiet_times")) WHERE "push_quiet_times" IS NOT NULL;
