SET LOCAL lock_timeout = '5s';

-- CreateTable
CREATE TABLE "scheduled_messages" (
    "id" SERIAL NOT NULL,
    "user_id" INTEGER NOT NULL,
    "channel_id" INTEGER,
    "to_ids" INTEGER[],
    "topic" TEXT NOT NULL,
    "content" TEXT NOT NULL,
    "rendered" TEXT NOT NULL,
    "client" TEXT NOT NULL,
    "is_read_by_sender" BOOLEAN NOT NULL,
    "deliver_at" TIMESTAMPTZ(3) NOT NULL,
    "due_at" TIMESTAMPTZ(3),
    "version" INTEGER NOT NULL DEFAULT 1,

    CONSTRAINT "scheduled_messages_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "scheduled_messages_user_id_idx" ON "scheduled_messages"("user_id");

-- CreateIndex
CREATE INDEX "scheduled_messages_due_at_idx" ON "scheduled_messages"("due_at");

-- AddForeignKey
ALTER TABLE "scheduled_messages" ADD CONSTRAINT "scheduled_messages_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;
