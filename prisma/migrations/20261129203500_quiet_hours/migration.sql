-- AlterTable
ALTER TABLE "push_deferrals" ADD COLUMN     "held_from_message_id" BIGINT,
ADD COLUMN     "held_until" TIMESTAMPTZ(0),
ADD COLUMN     "hold_cause" TEXT;

-- AlterTable
ALTER TABLE "push_reviews" ADD COLUMN     "releases_held" BOOLEAN NOT NULL DEFAULT false,
ADD COLUMN     "reviews_wishes" BOOLEAN NOT NULL DEFAULT true;

-- AlterTable
ALTER TABLE "users" ADD COLUMN     "push_delay_seconds" INTEGER NOT NULL DEFAULT 0,
ADD COLUMN     "push_quiet_times" tstzmultirange,
ADD COLUMN     "push_snoozed_until" BIGINT NOT NULL DEFAULT 0;

-- Workers of the release before delete the row of an account whose other messages are decided. Held messages must not be lost by
-- it, and such rows must not keep these workers from others that are due.
CREATE FUNCTION "keep_held_messages"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE "push_deferrals" SET "due_at" = now() + interval '10 s' WHERE "user_id" = OLD."user_id";
  RETURN NULL;
END $$;

CREATE TRIGGER "push_deferrals_keep_held" BEFORE DELETE ON "push_deferrals"
FOR EACH ROW WHEN (OLD.held_from_message_id IS NOT NULL) EXECUTE FUNCTION "keep_held_messages"();
