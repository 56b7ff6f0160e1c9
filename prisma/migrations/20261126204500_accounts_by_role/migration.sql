-- no transaction
CREATE INDEX CONCURRENTLY IF NOT EXISTS "users_realm_id_role_idx" ON "users"("realm_id", "role");
