-- A message to ten thousand people checked both keys of each row on its own, and locked each account: half of the time of storing it.
-- The statement that writes the rows has read the accounts, and writes the message or locks it.
-- AlterTable
ALTER TABLE "user_messages" DROP CONSTRAINT "user_messages_user_id_fkey",
DROP CONSTRAINT "user_messages_message_id_fkey";

CREATE FUNCTION "delete_received_messages"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_TABLE_NAME = 'messages' THEN
    DELETE FROM "user_messages" WHERE "message_id" = ANY(ARRAY(SELECT "id" FROM gone));
  ELSE
    DELETE FROM "user_messages" WHERE "user_id" = ANY(ARRAY(SELECT "id" FROM gone));
  END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER "messages_delete_received" AFTER DELETE ON "messages"
REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION "delete_received_messages"();

CREATE TRIGGER "users_delete_received" AFTER DELETE ON "users"
REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION "delete_received_messages"();
