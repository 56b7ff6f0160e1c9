-- AlterTable
ALTER TABLE "users" ADD COLUMN     "is_push_enabled" BOOLEAN NOT NULL DEFAULT true,
ADD COLUMN     "is_pushed_channels" BOOLEAN NOT NULL DEFAULT false,
ADD COLUMN     "is_pushed_online" BOOLEAN NOT NULL DEFAULT false,
ADD COLUMN     "is_pushed_wildcards" BOOLEAN NOT NULL DEFAULT true;

-- AlterTable
ALTER TABLE "push_devices" ADD COLUMN     "environment" TEXT;

-- AlterTable
ALTER TABLE "push_notifications" ADD COLUMN     "trace_parent" TEXT;

-- AlterTable
ALTER TABLE "push_deliveries" ADD COLUMN     "due_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
ADD COLUMN     "fingerprint" TEXT,
ADD COLUMN     "history" JSONB,
ADD COLUMN     "may_wait" BOOLEAN NOT NULL DEFAULT false,
ADD COLUMN     "sequence" BIGSERIAL NOT NULL;

-- AlterTable
ALTER TABLE "user_messages" ADD COLUMN     "is_pushed" BOOLEAN NOT NULL DEFAULT false;

-- CreateTable
CREATE TABLE "push_dead_letters" (
    "notification_id" UUID NOT NULL,
    "device_id" INTEGER NOT NULL,
    "user_id" INTEGER NOT NULL,
    "platform" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "reason" TEXT NOT NULL,
    "fingerprint" TEXT,
    "payload" JSONB NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "push_dead_letters_pkey" PRIMARY KEY ("notification_id","device_id")
);

-- CreateTable
CREATE TABLE "idempotency_keys" (
    "user_id" INTEGER NOT NULL,
    "key" TEXT NOT NULL,
    "digest" BYTEA NOT NULL,
    "answer" JSONB NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "idempotency_keys_pkey" PRIMARY KEY ("user_id","key")
);

-- CreateIndex
CREATE INDEX "push_dead_letters_created_at_idx" ON "push_dead_letters"("created_at");

-- CreateIndex
CREATE INDEX "idempotency_keys_created_at_idx" ON "idempotency_keys"("created_at");

-- AddForeignKey
ALTER TABLE "idempotency_keys" ADD CONSTRAINT "idempotency_keys_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;
