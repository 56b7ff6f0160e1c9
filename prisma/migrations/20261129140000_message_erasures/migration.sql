-- CreateTable
CREATE TABLE "message_erasures" (
    "user_id" INTEGER NOT NULL,
    "of_public_channels" BOOLEAN NOT NULL,
    "of_private_channels" BOOLEAN NOT NULL,
    "of_conversations" BOOLEAN NOT NULL,
    "requested_at" TIMESTAMPTZ(3) NOT NULL,
    "after_id" BIGINT NOT NULL DEFAULT 0,

    CONSTRAINT "message_erasures_pkey" PRIMARY KEY ("user_id")
);

-- AddForeignKey
ALTER TABLE "message_erasures" ADD CONSTRAINT "message_erasures_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;
