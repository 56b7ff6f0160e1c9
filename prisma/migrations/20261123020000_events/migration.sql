-- CreateTable
CREATE TABLE "event_heads" (
    "realm_id" INTEGER NOT NULL,
    "position" BIGINT NOT NULL,

    CONSTRAINT "event_heads_pkey" PRIMARY KEY ("realm_id")
);

-- CreateTable
CREATE TABLE "events" (
    "realm_id" INTEGER NOT NULL,
    "position" BIGINT NOT NULL,
    "type" TEXT NOT NULL,
    "body" JSON NOT NULL,
    "scope" SMALLINT NOT NULL,
    "user_ids" INTEGER[],
    "except_ids" INTEGER[],
    "flags" JSON,
    "origin" JSON,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT clock_timestamp(),

    CONSTRAINT "events_pkey" PRIMARY KEY ("realm_id","position")
);

-- CreateTable
CREATE TABLE "event_queues" (
    "id" TEXT NOT NULL,
    "realm_id" INTEGER NOT NULL,
    "user_id" INTEGER NOT NULL,
    "options" JSONB NOT NULL,
    "start_position" BIGINT NOT NULL,
    "idle_seconds" INTEGER NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "polled_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "event_queues_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "events_created_at_idx" ON "events"("created_at");

-- CreateIndex
CREATE INDEX "event_queues_user_id_expires_at_idx" ON "event_queues"("user_id", "expires_at");

-- CreateIndex
CREATE INDEX "event_queues_realm_id_idx" ON "event_queues"("realm_id");

-- CreateIndex
CREATE INDEX "event_queues_expires_at_idx" ON "event_queues"("expires_at");

-- AddForeignKey
ALTER TABLE "event_heads" ADD CONSTRAINT "event_heads_realm_id_fkey" FOREIGN KEY ("realm_id") REFERENCES "realms"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "event_queues" ADD CONSTRAINT "event_queues_realm_id_fkey" FOREIGN KEY ("realm_id") REFERENCES "realms"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "event_queues" ADD CONSTRAINT "event_queues_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;
