ALTER TABLE "user_messages" ADD COLUMN "hides_link_previews" BOOLEAN NOT NULL DEFAULT false;
