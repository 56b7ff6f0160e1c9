-- no transaction
DROP INDEX CONCURRENTLY IF EXISTS "attachments_unclaimed_since_idx";
