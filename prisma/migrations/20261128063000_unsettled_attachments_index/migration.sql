-- no transaction
-- The previous release looks for unclaimed files by attachments_unclaimed_idx. Named in test/integration/migrations.
CREATE INDEX CONCURRENTLY IF NOT EXISTS "attachments_unsettled_idx"
  ON "attachments" ((coalesce("unlinked_at", "created_at")), "id")
  WHERE "claimed_at" IS NULL OR "unlinked_at" >= "claimed_at";
