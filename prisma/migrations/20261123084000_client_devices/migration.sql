-- The ids of client devices are from the sequence of push_devices, because a delivery names a device of either table. A
-- worker of the previous release ends deliveries to client devices as revoked: update workers before gateways.

-- CreateTable
CREATE TABLE "client_devices" (
    "id" INTEGER NOT NULL DEFAULT nextval('push_devices_id_seq'::regclass),
    "realm_id" INTEGER NOT NULL,
    "user_id" INTEGER NOT NULL,
    "key_generation" INTEGER NOT NULL,
    "push_key_sealed" BYTEA,
    "push_key_id" BIGINT,
    "push_token_id" BYTEA,
    "platform" TEXT,
    "pending_token_id" BYTEA,
    "pending_platform" TEXT,
    "token_updated_at" TIMESTAMPTZ(3),
    "error_code" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "client_devices_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "push_token_requests" (
    "device_id" INTEGER NOT NULL,
    "token_id" BYTEA NOT NULL,
    "service_public_key" TEXT NOT NULL,
    "sealed" TEXT NOT NULL,
    "is_refresh" BOOLEAN NOT NULL,
    "requested_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "attempts" SMALLINT NOT NULL DEFAULT 0,
    "due_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "push_token_requests_pkey" PRIMARY KEY ("device_id")
);

-- CreateTable
CREATE TABLE "push_registrations" (
    "id" SERIAL NOT NULL,
    "realm_id" INTEGER NOT NULL,
    "token_id" BYTEA NOT NULL,
    "platform" TEXT NOT NULL,
    "token" TEXT NOT NULL,
    "token_digest" BYTEA NOT NULL,
    "app_id" TEXT,
    "environment" TEXT,
    "refreshed_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "push_registrations_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "push_keys" (
    "public_key" BYTEA NOT NULL,
    "sealed" BYTEA NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "push_keys_pkey" PRIMARY KEY ("public_key")
);

-- CreateIndex
CREATE INDEX "client_devices_user_id_idx" ON "client_devices"("user_id");

-- CreateIndex
CREATE INDEX "client_devices_realm_id_push_token_id_idx" ON "client_devices"("realm_id", "push_token_id");

-- CreateIndex
CREATE INDEX "client_devices_realm_id_pending_token_id_idx" ON "client_devices"("realm_id", "pending_token_id");

-- CreateIndex
CREATE INDEX "push_token_requests_due_at_idx" ON "push_token_requests"("due_at");

-- CreateIndex
CREATE INDEX "push_registrations_platform_token_digest_idx" ON "push_registrations"("platform", "token_digest");

-- CreateIndex
CREATE UNIQUE INDEX "push_registrations_realm_id_token_id_key" ON "push_registrations"("realm_id", "token_id");

-- AddForeignKey
ALTER TABLE "client_devices" ADD CONSTRAINT "client_devices_realm_id_fkey" FOREIGN KEY ("realm_id") REFERENCES "realms"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "client_devices" ADD CONSTRAINT "client_devices_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "push_token_requests" ADD CONSTRAINT "push_token_requests_device_id_fkey" FOREIGN KEY ("device_id") REFERENCES "client_devices"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "push_registrations" ADD CONSTRAINT "push_registrations_realm_id_fkey" FOREIGN KEY ("realm_id") REFERENCES "realms"("id") ON DELETE CASCADE ON UPDATE CASCADE;
