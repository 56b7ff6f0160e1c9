-- no transaction
DROP INDEX CONCURRENTLY IF EXISTS "remote_deliveries_pending_due_idx";
