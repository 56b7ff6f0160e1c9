SET LOCAL lock_timeout = '5s';

-- CreateTable
CREATE TABLE "user_topics" (
    "user_id" INTEGER NOT NULL,
    "channel_id" INTEGER NOT NULL,
    "topic_key" TEXT NOT NULL,
    "topic" TEXT NOT NULL,
    "visibility" SMALLINT NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "user_topics_pkey" PRIMARY KEY ("user_id","channel_id","topic_key")
);

-- CreateIndex
CREATE INDEX "user_topics_channel_id_topic_key_idx" ON "user_topics"("channel_id", "topic_key");

-- AddForeignKey
ALTER TABLE "user_topics" ADD CONSTRAINT "user_topics_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "user_topics" ADD CONSTRAINT "user_topics_channel_id_fkey" FOREIGN KEY ("channel_id") REFERENCES "channels"("id") ON DELETE CASCADE ON UPDATE CASCADE;
