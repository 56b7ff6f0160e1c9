-- Records the removal of links by every release. In the order of the ids, like other locks of files; and the file may have
-- been claimed by a transaction that began later.
CREATE FUNCTION "record_unlinked_attachments"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  "unlinked" integer[] := ARRAY(SELECT DISTINCT "attachment_id" FROM "removed");
BEGIN
  PERFORM FROM "attachments" WHERE "id" = ANY("unlinked") ORDER BY "id" FOR NO KEY UPDATE;
  UPDATE "attachments" SET "unlinked_at" = greatest(now(), "claimed_at") WHERE "id" = ANY("unlinked");
  RETURN NULL;
END $$;

CREATE TRIGGER "attachment_messages_unlinked" AFTER DELETE ON "attachment_messages"
REFERENCING OLD TABLE AS "removed" FOR EACH STATEMENT EXECUTE FUNCTION "record_unlinked_attachments"();
