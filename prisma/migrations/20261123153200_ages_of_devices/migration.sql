-- no transaction
CREATE INDEX CONCURRENTLY IF NOT EXISTS "push_devices_platform_registered_at_idx" ON "push_devices"("platform", "registered_at");
