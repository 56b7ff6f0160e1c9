-- Whether a channel has a topic, whatever its case. In a migration of its own: it takes time where there are many messages.
SET LOCAL lock_timeout = '5s';

CREATE INDEX "messages_channel_id_lower_topic_idx" ON "messages" ("channel_id", lower("topic")) WHERE "channel_id" IS NOT NULL;
