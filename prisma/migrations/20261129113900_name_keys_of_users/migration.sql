-- no transaction
CREATE INDEX CONCURRENTLY IF NOT EXISTS "users_realm_id_name_key_idx" ON "users"("realm_id", name_key("full_name"));
