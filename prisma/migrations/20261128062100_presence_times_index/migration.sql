-- no transaction
DROP INDEX CONCURRENTLY IF EXISTS "user_presence_realm_id_idle_at_idx";
