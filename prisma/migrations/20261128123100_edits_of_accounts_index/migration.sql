-- no transaction
-- No statement looks for these rows by their account, and accounts are never removed.
DROP INDEX CONCURRENTLY IF EXISTS "message_edits_user_id_idx";
