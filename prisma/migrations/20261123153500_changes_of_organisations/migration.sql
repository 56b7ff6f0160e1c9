SET LOCAL lock_timeout = '2s';

-- AlterTable
ALTER TABLE "push_service_uploads" ADD COLUMN "change" BIGINT NOT NULL DEFAULT 0,
ADD COLUMN "uploaded_change" BIGINT NOT NULL DEFAULT 0;

-- On a server that relays, its push service learns of each change. Other servers have no row.
CREATE FUNCTION "count_realm_change"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE "push_service_uploads" SET "change" = "change" + 1;
  RETURN NULL;
END $$;

CREATE TRIGGER "realms_change" AFTER INSERT OR DELETE OR UPDATE OF "name", "subdomain", "deactivated_at" ON "realms"
FOR EACH STATEMENT EXECUTE FUNCTION "count_realm_change"();
