-- CreateTable
CREATE TABLE "web_push_subscriptions" (
    "id" INTEGER NOT NULL DEFAULT nextval('push_devices_id_seq'::regclass),
    "user_id" INTEGER NOT NULL,
    "key_generation" INTEGER NOT NULL,
    "kind" TEXT NOT NULL,
    "endpoint" TEXT NOT NULL,
    "endpoint_digest" BYTEA NOT NULL,
    "p256dh" BYTEA NOT NULL,
    "auth" BYTEA NOT NULL,
    "vapid_key_id" INTEGER NOT NULL,
    "state" TEXT NOT NULL DEFAULT 'pending',
    "confirmation" BYTEA NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "registered_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "confirmed_at" TIMESTAMPTZ(3),
    "accepted_at" TIMESTAMPTZ(3),
    "gone_since" TIMESTAMPTZ(3),
    "refused_count" SMALLINT NOT NULL DEFAULT 0,

    CONSTRAINT "web_push_subscriptions_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "web_push_subscriptions_user_id_endpoint_digest_key"
  ON "web_push_subscriptions"("user_id", "endpoint_digest");

-- CreateIndex
CREATE INDEX "web_push_subscriptions_endpoint_digest_idx" ON "web_push_subscriptions"("endpoint_digest");

-- CreateIndex
CREATE INDEX "web_push_subscriptions_vapid_key_id_idx" ON "web_push_subscriptions"("vapid_key_id");

-- AddForeignKey
ALTER TABLE "web_push_subscriptions" ADD CONSTRAINT "web_push_subscriptions_user_id_fkey"
  FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "web_push_subscriptions" ADD CONSTRAINT "web_push_subscriptions_vapid_key_id_fkey"
  FOREIGN KEY ("vapid_key_id") REFERENCES "web_push_keys"("id") ON DELETE CASCADE ON UPDATE CASCADE;
