-- New tables only: the previous release does not know them, and no existing row gets a new column. Identities are made when
-- the push service first needs them.

-- CreateTable
CREATE TABLE "push_service_accounts" (
    "user_id" INTEGER NOT NULL,
    "uuid" UUID NOT NULL DEFAULT gen_random_uuid(),
    "leased_until" TIMESTAMPTZ(3),

    CONSTRAINT "push_service_accounts_pkey" PRIMARY KEY ("user_id")
);

-- CreateTable
CREATE TABLE "push_service_changes" (
    "id" BIGSERIAL NOT NULL,
    "user_id" INTEGER NOT NULL,
    "kind" TEXT NOT NULL,
    "platform" TEXT,
    "token" TEXT,
    "token_digest" BYTEA,
    "app_id" TEXT,
    "attempts" SMALLINT NOT NULL DEFAULT 0,
    "due_at" TIMESTAMPTZ(3) NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "push_service_changes_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "push_service_realms" (
    "realm_id" INTEGER NOT NULL,
    "uuid" UUID NOT NULL DEFAULT gen_random_uuid(),
    "owner_secret" TEXT NOT NULL DEFAULT replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', ''),
    "can_push" BOOLEAN,
    "push_ends_at" TIMESTAMPTZ(3),

    CONSTRAINT "push_service_realms_pkey" PRIMARY KEY ("realm_id")
);

-- CreateTable
CREATE TABLE "push_service_uploads" (
    "id" SMALLINT NOT NULL DEFAULT 1,
    "digest" BYTEA,
    "uploaded_at" TIMESTAMPTZ(3),
    "attempts" SMALLINT NOT NULL DEFAULT 0,
    "due_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "push_service_uploads_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "push_service_accounts_uuid_key" ON "push_service_accounts"("uuid");

-- CreateIndex
CREATE INDEX "push_service_changes_user_id_id_idx" ON "push_service_changes"("user_id", "id");

-- CreateIndex
CREATE INDEX "push_service_changes_due_at_idx" ON "push_service_changes"("due_at");

-- CreateIndex
CREATE UNIQUE INDEX "push_service_realms_uuid_key" ON "push_service_realms"("uuid");

-- AddForeignKey
ALTER TABLE "push_service_accounts" ADD CONSTRAINT "push_service_accounts_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "push_service_changes" ADD CONSTRAINT "push_service_changes_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "push_service_accounts"("user_id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "push_service_realms" ADD CONSTRAINT "push_service_realms_realm_id_fkey" FOREIGN KEY ("realm_id") REFERENCES "realms"("id") ON DELETE CASCADE ON UPDATE CASCADE;
