-- The messages of a topic in their order, instead of the partial index: PostgreSQL estimates the frequency of a topic only
-- from the statistics of a whole index. In a migration of its own: it takes time where there are many messages.
SET LOCAL lock_timeout = '5s';

DROP INDEX "messages_channel_id_lower_topic_id_idx";
CREATE INDEX "messages_channel_id_lower_topic_id_idx" ON "messages" ("channel_id", lower("topic"), "id");
