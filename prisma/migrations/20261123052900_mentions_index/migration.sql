-- The messages that mention an account. In a migration of its own: it takes time where there are many messages.
SET LOCAL lock_timeout = '5s';

CREATE INDEX "user_messages_mentioned_idx" ON "user_messages" ("user_id", "message_id")
  WHERE "is_mentioned" OR "is_wildcard_mentioned";
