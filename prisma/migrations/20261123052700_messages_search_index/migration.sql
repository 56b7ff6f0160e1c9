-- The words of messages. In a migration of its own: it takes time where there are many messages.
SET LOCAL lock_timeout = '5s';

CREATE INDEX "messages_search_idx" ON "messages"
  USING gin (to_tsvector('message_search', translate("topic", '<>', '  ') || ' ' || coalesce("rendered", "content")));
