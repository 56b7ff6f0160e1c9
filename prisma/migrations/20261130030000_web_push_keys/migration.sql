-- CreateTable
CREATE TABLE "web_push_keys" (
    "id" SERIAL NOT NULL,
    "public_key" BYTEA NOT NULL,
    "sealed" BYTEA NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "web_push_keys_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "web_push_keys_public_key_key" ON "web_push_keys"("public_key");
