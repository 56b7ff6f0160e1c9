ALTER TABLE "users" ADD COLUMN "edited_settings" JSONB;
