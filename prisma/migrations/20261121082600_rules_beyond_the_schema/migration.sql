-- What Prisma's schema language cannot say. Each statement is named in test/integration/migrations.

-- An address signs in whatever its case, and belongs to one account of an organisation.
CREATE UNIQUE INDEX "users_realm_id_lower_delivery_email_key" ON "users" ("realm_id", lower("delivery_email"));

-- The worker looks for what has not ended; what has ended is most of the table.
CREATE INDEX "push_deliveries_pending_idx" ON "push_deliveries" ("updated_at") WHERE "state" = 'pending';

-- A message belongs to a channel or to a conversation, never to both or neither.
ALTER TABLE "messages" ADD CONSTRAINT "messages_one_place_check" CHECK (num_nonnulls("channel_id", "conversation_id") = 1);
