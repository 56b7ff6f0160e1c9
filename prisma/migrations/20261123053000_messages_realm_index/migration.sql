-- The messages of an organisation in their order. In a migration of its own: it takes time where there are many messages.
SET LOCAL lock_timeout = '5s';

CREATE INDEX "messages_realm_id_id_idx" ON "messages" ("realm_id", "id");
