-- Archived folders keep their names, which others may then have. The previous release only reads the table.
SET LOCAL lock_timeout = '5s';

-- DropIndex
DROP INDEX "channel_folders_realm_id_name_key";

-- CreateIndex
CREATE INDEX "channel_folders_realm_id_idx" ON "channel_folders"("realm_id");
