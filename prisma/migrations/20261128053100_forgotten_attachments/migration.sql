SET LOCAL lock_timeout = '5s';

-- Files whose messages were deleted after the clean-up had found a link: it looks at them again five weeks from now.
UPDATE "attachments" SET "claimed_at" = NULL, "unlinked_at" = now()
WHERE "claimed_at" IS NOT NULL
  AND NOT EXISTS (SELECT FROM "attachment_messages" "link" WHERE "link"."attachment_id" = "attachments"."id");
