SET LOCAL lock_timeout = '5s';

-- CreateTable
CREATE TABLE "left_channels" (
    "user_id" INTEGER NOT NULL,
    "channel_id" INTEGER NOT NULL,
    "up_to" BIGINT,
    "due_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "left_channels_pkey" PRIMARY KEY ("user_id","channel_id")
);

-- CreateIndex
CREATE INDEX "left_channels_channel_id_idx" ON "left_channels"("channel_id");

-- CreateIndex
CREATE INDEX "left_channels_due_at_idx" ON "left_channels"("due_at");

-- AddForeignKey
ALTER TABLE "left_channels" ADD CONSTRAINT "left_channels_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "left_channels" ADD CONSTRAINT "left_channels_channel_id_fkey" FOREIGN KEY ("channel_id") REFERENCES "channels"("id") ON DELETE CASCADE ON UPDATE CASCADE;
