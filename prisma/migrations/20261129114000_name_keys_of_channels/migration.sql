-- no transaction
CREATE INDEX CONCURRENTLY IF NOT EXISTS "channels_realm_id_name_key_idx" ON "channels"("realm_id", name_key("name"));
