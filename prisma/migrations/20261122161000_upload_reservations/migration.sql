-- CreateTable
CREATE TABLE "upload_reservations" (
    "id" TEXT NOT NULL,
    "realm_id" INTEGER NOT NULL,
    "user_id" INTEGER NOT NULL,
    "size_bytes" BIGINT NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "upload_reservations_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "upload_reservations_user_id_idx" ON "upload_reservations"("user_id");

-- CreateIndex
CREATE INDEX "upload_reservations_realm_id_idx" ON "upload_reservations"("realm_id");

-- CreateIndex
CREATE INDEX "upload_reservations_expires_at_idx" ON "upload_reservations"("expires_at");

-- AddForeignKey
ALTER TABLE "upload_reservations" ADD CONSTRAINT "upload_reservations_realm_id_fkey" FOREIGN KEY ("realm_id") REFERENCES "realms"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "upload_reservations" ADD CONSTRAINT "upload_reservations_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;
