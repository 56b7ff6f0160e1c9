-- No row is rewritten, and the previous release does not name the columns.
SET LOCAL lock_timeout = '5s';

-- AlterTable
ALTER TABLE "messages" ADD COLUMN     "last_edited_at" TIMESTAMPTZ(3),
ADD COLUMN     "last_moved_at" TIMESTAMPTZ(3);

-- CreateTable
CREATE TABLE "message_reactions" (
    "id" BIGSERIAL NOT NULL,
    "message_id" BIGINT NOT NULL,
    "user_id" INTEGER NOT NULL,
    "emoji_type" TEXT NOT NULL,
    "emoji_code" TEXT NOT NULL,
    "emoji_name" TEXT NOT NULL,

    CONSTRAINT "message_reactions_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "message_edits" (
    "id" BIGSERIAL NOT NULL,
    "message_id" BIGINT NOT NULL,
    "user_id" INTEGER NOT NULL,
    "edited_at" TIMESTAMPTZ(3) NOT NULL,
    "prev_content" TEXT,
    "prev_rendered" TEXT,
    "prev_topic" TEXT,
    "topic" TEXT,
    "prev_channel_id" INTEGER,
    "channel_id" INTEGER,

    CONSTRAINT "message_edits_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "submessages" (
    "id" BIGSERIAL NOT NULL,
    "message_id" BIGINT NOT NULL,
    "sender_id" INTEGER NOT NULL,
    "type" TEXT NOT NULL,
    "content" TEXT NOT NULL,

    CONSTRAINT "submessages_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "message_reactions_user_id_idx" ON "message_reactions"("user_id");

-- CreateIndex
CREATE UNIQUE INDEX "message_reactions_message_id_user_id_emoji_type_emoji_code_key" ON "message_reactions"("message_id", "user_id", "emoji_type", "emoji_code");

-- CreateIndex
CREATE INDEX "message_edits_message_id_id_idx" ON "message_edits"("message_id", "id");

-- CreateIndex
CREATE INDEX "message_edits_user_id_idx" ON "message_edits"("user_id");

-- CreateIndex
CREATE INDEX "submessages_message_id_id_idx" ON "submessages"("message_id", "id");

-- CreateIndex
CREATE INDEX "submessages_sender_id_idx" ON "submessages"("sender_id");

-- AddForeignKey
ALTER TABLE "message_reactions" ADD CONSTRAINT "message_reactions_message_id_fkey" FOREIGN KEY ("message_id") REFERENCES "messages"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "message_reactions" ADD CONSTRAINT "message_reactions_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "message_edits" ADD CONSTRAINT "message_edits_message_id_fkey" FOREIGN KEY ("message_id") REFERENCES "messages"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "message_edits" ADD CONSTRAINT "message_edits_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "submessages" ADD CONSTRAINT "submessages_message_id_fkey" FOREIGN KEY ("message_id") REFERENCES "messages"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "submessages" ADD CONSTRAINT "submessages_sender_id_fkey" FOREIGN KEY ("sender_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;
