-- The organisation and the time of acceptance become columns of both tables of the ledger. No row is rewritten: existing
-- rows get the constants of this moment, and leave the ledger with its retention.
SET LOCAL lock_timeout = '5s';

-- AlterTable
ALTER TABLE "push_notifications" ADD COLUMN     "realm_id" INTEGER NOT NULL DEFAULT 0;

-- AlterTable
ALTER TABLE "push_deliveries" ADD COLUMN     "accepted_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
ADD COLUMN     "realm_id" INTEGER NOT NULL DEFAULT 0;

-- AlterTable
ALTER TABLE "push_dead_letters" ADD COLUMN     "accepted_at" TIMESTAMPTZ(3),
ADD COLUMN     "content" JSONB,
ADD COLUMN     "expires_at" TIMESTAMPTZ(3);

-- While the previous release still runs, its statements do not name the new columns. The triggers fill them; the
-- statements of this release do, so that the functions are not called. A later release drops both.
CREATE FUNCTION "push_notification_realm"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW."realm_id" := coalesce((SELECT "realm_id" FROM "users" WHERE "id" = NEW."user_id"), 0);
  RETURN NEW;
END $$;
CREATE TRIGGER "push_notifications_realm" BEFORE INSERT ON "push_notifications"
FOR EACH ROW WHEN (NEW."realm_id" = 0) EXECUTE FUNCTION "push_notification_realm"();

CREATE FUNCTION "push_delivery_realm"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW."realm_id" := coalesce((
    SELECT account."realm_id" FROM "push_devices" device JOIN "users" account ON account."id" = device."user_id"
    WHERE device."id" = NEW."device_id"
  ), 0);
  RETURN NEW;
END $$;
CREATE TRIGGER "push_deliveries_realm" BEFORE INSERT ON "push_deliveries"
FOR EACH ROW WHEN (NEW."realm_id" = 0) EXECUTE FUNCTION "push_delivery_realm"();

CREATE FUNCTION "push_dead_letter_copy"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  SELECT "content", "accepted_at", "expires_at" INTO NEW."content", NEW."accepted_at", NEW."expires_at"
  FROM "push_notifications" WHERE "id" = NEW."notification_id";
  RETURN NEW;
END $$;
CREATE TRIGGER "push_dead_letters_copy" BEFORE INSERT ON "push_dead_letters"
FOR EACH ROW WHEN (NEW."content" IS NULL) EXECUTE FUNCTION "push_dead_letter_copy"();

-- The letters that are there keep their notifications from now on as well.
UPDATE "push_dead_letters" letter
SET "content" = notification."content", "accepted_at" = notification."accepted_at",
  "expires_at" = notification."expires_at"
FROM "push_notifications" notification WHERE notification."id" = letter."notification_id";
