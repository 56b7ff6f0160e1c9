-- Null for tokens of Apple, and in rows of the previous release: then the form of the token decides.
ALTER TABLE "push_devices" ADD COLUMN "fcm_target" TEXT;
ALTER TABLE "push_registrations" ADD COLUMN "fcm_target" TEXT;
ALTER TABLE "remote_devices" ADD COLUMN "fcm_target" TEXT;
