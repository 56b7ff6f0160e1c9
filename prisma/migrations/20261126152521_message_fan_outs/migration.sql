-- CreateTable
CREATE TABLE "push_fan_outs" (
    "message_id" BIGINT NOT NULL,
    "channel_id" INTEGER NOT NULL,
    "sender_id" INTEGER NOT NULL,
    "mentioned_via" JSONB NOT NULL,
    "after_user_id" INTEGER NOT NULL DEFAULT 0,
    "devices" INTEGER NOT NULL DEFAULT 0,
    "progressed_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "trace_parent" TEXT,

    CONSTRAINT "push_fan_outs_pkey" PRIMARY KEY ("message_id")
);

-- CreateIndex
CREATE INDEX "push_fan_outs_channel_id_message_id_idx" ON "push_fan_outs"("channel_id", "message_id");
