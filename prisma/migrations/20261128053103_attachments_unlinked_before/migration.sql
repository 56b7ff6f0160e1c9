-- Files that the previous release unlinked before it had the trigger.
UPDATE "attachments" SET "unlinked_at" = greatest(now(), "claimed_at")
WHERE "claimed_at" > coalesce("unlinked_at", '-infinity')
  AND NOT EXISTS (SELECT FROM "attachment_messages" "link" WHERE "link"."attachment_id" = "attachments"."id");
