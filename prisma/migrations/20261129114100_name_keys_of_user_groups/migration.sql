-- no transaction
CREATE INDEX CONCURRENTLY IF NOT EXISTS "user_groups_realm_id_name_key_idx" ON "user_groups"("realm_id", name_key("name"));
