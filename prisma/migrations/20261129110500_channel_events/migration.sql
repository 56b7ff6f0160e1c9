ALTER TABLE "realms" ADD COLUMN "sends_channel_events" BOOLEAN NOT NULL DEFAULT true;
