ALTER TABLE "remote_servers" ADD COLUMN "registered_from" TEXT;
