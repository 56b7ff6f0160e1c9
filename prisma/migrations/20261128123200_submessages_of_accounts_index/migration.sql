-- no transaction
-- No statement looks for these rows by their account, and accounts are never removed.
DROP INDEX CONCURRENTLY IF EXISTS "submessages_sender_id_idx";
