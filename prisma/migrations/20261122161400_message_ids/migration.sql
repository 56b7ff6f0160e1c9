-- Message ids become bigint. The type change rewrites the tables while nobody can read them, and the previous release
-- takes a bigint for a text. So it happens here only in a database that nobody uses yet. Every other database gets
-- the function: docs/operations.md says when to call it. A later migration will.
CREATE FUNCTION "widen_message_ids"() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM set_config('lock_timeout', '5s', true);
  ALTER SEQUENCE "messages_id_seq" AS bigint;
  ALTER TABLE "messages" ALTER COLUMN "id" TYPE bigint;
  ALTER TABLE "user_messages" ALTER COLUMN "message_id" TYPE bigint;
  ALTER TABLE "attachment_messages" ALTER COLUMN "message_id" TYPE bigint;
  ALTER TABLE "channels" ALTER COLUMN "first_message_id" TYPE bigint;
END $$;

DO $$
BEGIN
  IF NOT EXISTS (SELECT FROM "realms") THEN
    PERFORM "widen_message_ids"();
  END IF;
END $$;
