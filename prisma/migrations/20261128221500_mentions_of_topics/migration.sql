ALTER TABLE "messages" ADD COLUMN "mentions_topic" BOOLEAN NOT NULL DEFAULT false;
