-- The messages of a topic in their order. In a migration of its own: it takes time where there are many messages.
SET LOCAL lock_timeout = '5s';

CREATE INDEX "messages_channel_id_lower_topic_id_idx" ON "messages" ("channel_id", lower("topic"), "id")
  WHERE "channel_id" IS NOT NULL;

-- The new index has its columns as its first ones.
DROP INDEX "messages_channel_id_lower_topic_idx";
