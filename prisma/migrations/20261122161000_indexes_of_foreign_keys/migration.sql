SET LOCAL lock_timeout = '5s';

-- CreateIndex
CREATE INDEX "users_bot_owner_id_idx" ON "users"("bot_owner_id");

-- CreateIndex
CREATE INDEX "channels_folder_id_idx" ON "channels"("folder_id");

-- CreateIndex
CREATE INDEX "channels_creator_id_idx" ON "channels"("creator_id");

-- CreateIndex
CREATE INDEX "user_groups_creator_id_idx" ON "user_groups"("creator_id");

-- CreateIndex
CREATE INDEX "realm_emoji_author_id_idx" ON "realm_emoji"("author_id");
