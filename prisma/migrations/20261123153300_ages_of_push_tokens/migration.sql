-- no transaction
CREATE INDEX CONCURRENTLY IF NOT EXISTS "push_registrations_platform_refreshed_at_idx" ON "push_registrations"("platform", "refreshed_at");
