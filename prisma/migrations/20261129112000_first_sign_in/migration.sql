ALTER TABLE "users" ADD COLUMN "awaits_sign_in" BOOLEAN NOT NULL DEFAULT false;
