-- The previous release removes an old file without claimed_at at once. It ignores these, and this release looks at them
-- again five weeks after unlinked_at.
UPDATE "attachments" SET "claimed_at" = "unlinked_at" WHERE "claimed_at" IS NULL AND "unlinked_at" IS NOT NULL;
