-- CreateTable
CREATE TABLE "user_activity" (
    "day" DATE NOT NULL,
    "user_id" INTEGER NOT NULL,
    "active" tstzmultirange NOT NULL,

    CONSTRAINT "user_activity_pkey" PRIMARY KEY ("day","user_id")
);

-- AddForeignKey
ALTER TABLE "user_activity" ADD CONSTRAINT "user_activity_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;
