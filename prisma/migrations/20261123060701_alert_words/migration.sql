-- No row of messages is rewritten: existing rows get a constant. The previous release does not name the column.
SET LOCAL lock_timeout = '5s';

-- AlterTable
ALTER TABLE "user_messages" ADD COLUMN     "has_alert_word" BOOLEAN NOT NULL DEFAULT false;

-- CreateTable
CREATE TABLE "alert_words" (
    "user_id" INTEGER NOT NULL,
    "folded" TEXT NOT NULL,
    "realm_id" INTEGER NOT NULL,
    "word" TEXT NOT NULL,
    "first_run" TEXT NOT NULL,

    CONSTRAINT "alert_words_pkey" PRIMARY KEY ("user_id","folded")
);

-- CreateIndex
CREATE INDEX "alert_words_realm_id_first_run_idx" ON "alert_words"("realm_id", "first_run");

-- AddForeignKey
ALTER TABLE "alert_words" ADD CONSTRAINT "alert_words_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "alert_words" ADD CONSTRAINT "alert_words_realm_id_fkey" FOREIGN KEY ("realm_id") REFERENCES "realms"("id") ON DELETE CASCADE ON UPDATE CASCADE;
