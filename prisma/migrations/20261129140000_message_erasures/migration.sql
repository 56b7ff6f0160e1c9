-- CreateTable
CREATE TABLE "message_erasures" (
    "user_id" INTEGER NOT NULL,
    "public_channels_until" TIMESTAMPTZ(3),
    "private_channels_until" TIMESTAMPTZ(3),
    "conversations_until" TIMESTAMPTZ(3),
    "after_id" BIGINT NOT NULL DEFAULT 0,

    CONSTRAINT "message_erasures_pkey" PRIMARY KEY ("user_id")
);

-- AddForeignKey
ALTER TABLE "message_erasures" ADD CONSTRAINT "message_erasures_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;
