-- no transaction
CREATE INDEX CONCURRENTLY IF NOT EXISTS "user_presence_realm_id_idx" ON "user_presence"("realm_id");
