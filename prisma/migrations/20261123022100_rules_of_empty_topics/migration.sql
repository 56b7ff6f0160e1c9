-- Only a channel can require the empty topic. The constraint is named in test/integration/migrations.
SET LOCAL lock_timeout = '5s';

ALTER TABLE "realms" ADD CONSTRAINT "realms_topics_policy_check"
CHECK ("topics_policy" IN ('allow_empty_topic', 'disable_empty_topic'));

-- Both names stand for the empty topic from this release on. Messages of a topic with such a name would no longer be
-- found by it. The index on the channel and the topic in lower case finds them.
UPDATE "messages" m SET "topic" = '' FROM "channels" c
WHERE m."channel_id" = c."id" AND lower(m."topic") IN ('general chat', '(no topic)')
  AND m."topic" IN ('general chat', '(no topic)');
