-- The messages of an account with one of its alert words, newest first. In a migration of its own: it takes time where there
-- are many messages.
SET LOCAL lock_timeout = '5s';

CREATE INDEX "user_messages_alerted_idx" ON "user_messages" ("user_id", "message_id") WHERE "has_alert_word";
