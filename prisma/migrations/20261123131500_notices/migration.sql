SET LOCAL lock_timeout = '5s';

-- CreateTable
CREATE TABLE "notices" (
    "id" BIGSERIAL NOT NULL,
    "user_id" INTEGER NOT NULL,
    "place" JSONB NOT NULL,
    "content" TEXT NOT NULL,
    "is_silent" BOOLEAN NOT NULL,
    "due_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "notices_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "notices_user_id_idx" ON "notices"("user_id");

-- CreateIndex
CREATE INDEX "notices_due_at_idx" ON "notices"("due_at");

-- AddForeignKey
ALTER TABLE "notices" ADD CONSTRAINT "notices_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;
