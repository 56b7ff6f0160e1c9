-- CreateTable
CREATE TABLE "remote_servers" (
    "id" SERIAL NOT NULL,
    "uuid" UUID NOT NULL,
    "key_hash" BYTEA NOT NULL,
    "hostname" TEXT NOT NULL,
    "contact_email" TEXT NOT NULL,
    "version" TEXT,
    "feature_level" INTEGER,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "seen_at" TIMESTAMPTZ(3),
    "deactivated_at" TIMESTAMPTZ(3),
    "stopped_from" TIMESTAMPTZ(3),
    "stop_reason" TEXT,
    "request_limit" INTEGER,
    "push_limit" INTEGER,
    "last_realm_count_id" BIGINT NOT NULL DEFAULT 0,
    "last_installation_count_id" BIGINT NOT NULL DEFAULT 0,
    "last_audit_log_id" BIGINT NOT NULL DEFAULT 0,

    CONSTRAINT "remote_servers_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "remote_realms" (
    "id" SERIAL NOT NULL,
    "server_id" INTEGER NOT NULL,
    "uuid" UUID NOT NULL,
    "owner_secret_hash" BYTEA NOT NULL,
    "host" TEXT NOT NULL,
    "url" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "org_type" INTEGER NOT NULL,
    "is_deactivated" BOOLEAN NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "locally_deleted_at" TIMESTAMPTZ(3),
    "stopped_from" TIMESTAMPTZ(3),
    "stop_reason" TEXT,

    CONSTRAINT "remote_realms_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "remote_devices" (
    "id" SERIAL NOT NULL,
    "server_id" INTEGER NOT NULL,
    "realm_id" INTEGER,
    "user_uuid" UUID,
    "user_id" BIGINT,
    "token_id" BYTEA,
    "platform" TEXT NOT NULL,
    "token" TEXT NOT NULL,
    "token_digest" BYTEA NOT NULL,
    "app_id" TEXT,
    "environment" TEXT,
    "refreshed_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expired_at" TIMESTAMPTZ(3),

    CONSTRAINT "remote_devices_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "remote_deliveries" (
    "id" BIGSERIAL NOT NULL,
    "server_id" INTEGER NOT NULL,
    "device_id" INTEGER NOT NULL,
    "platform" TEXT NOT NULL,
    "state" TEXT NOT NULL DEFAULT 'pending',
    "attempts" SMALLINT NOT NULL DEFAULT 0,
    "reason" TEXT,
    "sealed" BYTEA,
    "accepted_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "due_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "remote_deliveries_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "remote_servers_uuid_key" ON "remote_servers"("uuid");

-- CreateIndex
CREATE UNIQUE INDEX "remote_realms_uuid_key" ON "remote_realms"("uuid");

-- CreateIndex
CREATE INDEX "remote_realms_server_id_idx" ON "remote_realms"("server_id");

-- CreateIndex
CREATE INDEX "remote_realms_locally_deleted_at_idx" ON "remote_realms"("locally_deleted_at");

-- CreateIndex
CREATE INDEX "remote_devices_platform_token_digest_idx" ON "remote_devices"("platform", "token_digest");

-- CreateIndex
CREATE INDEX "remote_devices_platform_refreshed_at_idx" ON "remote_devices"("platform", "refreshed_at");

-- CreateIndex
CREATE INDEX "remote_devices_expired_at_idx" ON "remote_devices"("expired_at");

-- CreateIndex
CREATE UNIQUE INDEX "remote_devices_server_id_user_uuid_platform_token_digest_key" ON "remote_devices"("server_id", "user_uuid", "platform", "token_digest");

-- CreateIndex
CREATE UNIQUE INDEX "remote_devices_server_id_user_id_platform_token_digest_key" ON "remote_devices"("server_id", "user_id", "platform", "token_digest");

-- CreateIndex
CREATE UNIQUE INDEX "remote_devices_realm_id_token_id_key" ON "remote_devices"("realm_id", "token_id");

-- CreateIndex
CREATE INDEX "remote_deliveries_accepted_at_idx" ON "remote_deliveries"("accepted_at");

-- CreateIndex
CREATE INDEX "remote_deliveries_server_id_accepted_at_idx" ON "remote_deliveries"("server_id", "accepted_at");

-- AddForeignKey
ALTER TABLE "remote_realms" ADD CONSTRAINT "remote_realms_server_id_fkey" FOREIGN KEY ("server_id") REFERENCES "remote_servers"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "remote_devices" ADD CONSTRAINT "remote_devices_server_id_fkey" FOREIGN KEY ("server_id") REFERENCES "remote_servers"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "remote_devices" ADD CONSTRAINT "remote_devices_realm_id_fkey" FOREIGN KEY ("realm_id") REFERENCES "remote_realms"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- Only one active server has a host name.
CREATE UNIQUE INDEX "remote_servers_active_hostname_key" ON "remote_servers" ("hostname") WHERE "deactivated_at" IS NULL;

-- What is overdue, and what is ahead of a later delivery to the same device.
CREATE INDEX "remote_deliveries_pending_due_idx" ON "remote_deliveries" ("due_at") WHERE "state" = 'pending';
CREATE INDEX "remote_deliveries_pending_of_device_idx" ON "remote_deliveries" ("device_id", "id") WHERE "state" = 'pending';
