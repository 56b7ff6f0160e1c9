-- CreateTable
CREATE TABLE "bot_storage" (
    "user_id" INTEGER NOT NULL,
    "key" TEXT NOT NULL,
    "value" TEXT NOT NULL,

    CONSTRAINT "bot_storage_pkey" PRIMARY KEY ("user_id","key")
);

-- AddForeignKey
ALTER TABLE "bot_storage" ADD CONSTRAINT "bot_storage_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;
