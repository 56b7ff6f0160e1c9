-- Deliveries of a fan-out in pages. The release before neither writes nor reads them: its workers leave their jobs, and a worker of
-- this release adds them again.
-- CreateTable
CREATE TABLE "push_pages" (
    "id" UUID NOT NULL,
    "notification_id" UUID,
    "realm_id" INTEGER NOT NULL,
    "platform" TEXT NOT NULL,
    "content" JSONB NOT NULL,
    "sequence" BIGINT NOT NULL DEFAULT nextval('push_deliveries_sequence_seq'::regclass),
    "accepted_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "trace_parent" TEXT,
    "user_ids" INTEGER[],
    "device_ids" INTEGER[],
    "is_open" BOOLEAN NOT NULL DEFAULT true,
    "is_claimed" BOOLEAN NOT NULL DEFAULT false,
    "due_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "states" TEXT NOT NULL,

    CONSTRAINT "push_pages_pkey" PRIMARY KEY ("id")
);

-- What is still to be sent is a small part: found in order, and by organisation and account. The conditions differ, so that a statement
-- that looks for an account cannot read the other index as a whole, which statistics mostly call empty.
CREATE INDEX "push_pages_open_in_order_idx" ON "push_pages" ("sequence") WHERE "is_open";
CREATE INDEX "push_pages_open_accounts_idx" ON "push_pages"
USING gist (box(
  point("user_ids"[1], "realm_id"),
  point("user_ids"[cardinality("user_ids")], "realm_id")
)) WHERE "is_open"::int = 1;

-- The pages of an account, and of a message to it: a page is a line from its first account to its last one, at the height of its
-- message. Both ids are exact as floating-point numbers.
CREATE INDEX "push_pages_accounts_idx" ON "push_pages" USING gist (box(
  point("user_ids"[1], coalesce(("content" ->> 'messageId')::float8, 0)),
  point("user_ids"[cardinality("user_ids")], coalesce(("content" ->> 'messageId')::float8, 0))
));
CREATE INDEX "push_pages_notification_idx" ON "push_pages" ("notification_id") WHERE "notification_id" IS NOT NULL;

-- Each page leaves two dead rows behind. At the default of a fifth of the table the first vacuum would come late.
ALTER TABLE "push_pages" SET (autovacuum_vacuum_scale_factor = 0.01);
