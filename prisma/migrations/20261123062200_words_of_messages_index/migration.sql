-- The words of messages. In a migration of its own: it takes time where there are many messages.
SET LOCAL lock_timeout = '5s';

DROP INDEX "messages_search_idx";
CREATE INDEX "messages_words_idx" ON "messages" USING gin ("message_words" ("topic", coalesce("rendered", "content")));
