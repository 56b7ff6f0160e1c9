-- AlterTable
ALTER TABLE "realms" ADD COLUMN     "can_add_subscribers_id" INTEGER,
ADD COLUMN     "can_delete_any_message_id" INTEGER,
ADD COLUMN     "can_manage_all_groups_id" INTEGER,
ADD COLUMN     "refuses_disposable_emails" BOOLEAN NOT NULL DEFAULT true,
ADD COLUMN     "requires_unique_names" BOOLEAN NOT NULL DEFAULT false,
ADD COLUMN     "upload_quota_mib" INTEGER,
ADD COLUMN     "uploaded_bytes" BIGINT NOT NULL DEFAULT 0,
ADD COLUMN     "waiting_period_days" INTEGER NOT NULL DEFAULT 0;

-- AlterTable
ALTER TABLE "users" ADD COLUMN     "is_system_bot" BOOLEAN NOT NULL DEFAULT false,
ADD COLUMN     "timezone" TEXT NOT NULL DEFAULT '';

-- AlterTable
ALTER TABLE "channels" ADD COLUMN     "can_add_subscribers_id" INTEGER,
ADD COLUMN     "can_administer_channel_id" INTEGER,
ADD COLUMN     "can_create_topic_id" INTEGER,
ADD COLUMN     "can_delete_any_message_id" INTEGER,
ADD COLUMN     "can_delete_own_message_id" INTEGER,
ADD COLUMN     "can_move_messages_out_id" INTEGER,
ADD COLUMN     "can_move_messages_within_id" INTEGER,
ADD COLUMN     "can_remove_subscribers_id" INTEGER,
ADD COLUMN     "can_resolve_topics_id" INTEGER,
ADD COLUMN     "can_send_message_id" INTEGER,
ADD COLUMN     "can_subscribe_id" INTEGER,
ADD COLUMN     "first_message_id" INTEGER,
ADD COLUMN     "folder_id" INTEGER,
ADD COLUMN     "is_history_public" BOOLEAN,
ADD COLUMN     "message_retention_days" INTEGER,
ADD COLUMN     "topics_policy" TEXT NOT NULL DEFAULT 'inherit';

-- AlterTable
ALTER TABLE "subscriptions" ADD COLUMN     "audible_notifications" BOOLEAN,
ADD COLUMN     "color" TEXT NOT NULL DEFAULT '#76ce90',
ADD COLUMN     "desktop_notifications" BOOLEAN,
ADD COLUMN     "email_notifications" BOOLEAN,
ADD COLUMN     "is_muted" BOOLEAN NOT NULL DEFAULT false,
ADD COLUMN     "is_pinned" BOOLEAN NOT NULL DEFAULT false,
ADD COLUMN     "push_notifications" BOOLEAN,
ADD COLUMN     "wildcard_mentions" BOOLEAN;

-- AlterTable
ALTER TABLE "messages" ADD COLUMN     "client" TEXT NOT NULL DEFAULT '',
ADD COLUMN     "rendered" TEXT;

-- AlterTable
ALTER TABLE "user_messages" ADD COLUMN     "is_mentioned" BOOLEAN NOT NULL DEFAULT false,
ADD COLUMN     "is_starred" BOOLEAN NOT NULL DEFAULT false,
ADD COLUMN     "is_wildcard_mentioned" BOOLEAN NOT NULL DEFAULT false;

-- AlterTable
ALTER TABLE "user_groups" ADD COLUMN     "can_add_members_id" INTEGER,
ADD COLUMN     "can_join_id" INTEGER,
ADD COLUMN     "can_leave_id" INTEGER,
ADD COLUMN     "can_manage_id" INTEGER,
ADD COLUMN     "can_mention_id" INTEGER,
ADD COLUMN     "can_remove_members_id" INTEGER,
ALTER COLUMN "name" DROP NOT NULL;

-- CreateTable
CREATE TABLE "realm_email_domains" (
    "realm_id" INTEGER NOT NULL,
    "domain" TEXT NOT NULL,
    "allows_subdomains" BOOLEAN NOT NULL DEFAULT false,

    CONSTRAINT "realm_email_domains_pkey" PRIMARY KEY ("realm_id","domain")
);

-- CreateTable
CREATE TABLE "channel_folders" (
    "id" SERIAL NOT NULL,
    "realm_id" INTEGER NOT NULL,
    "name" TEXT NOT NULL,

    CONSTRAINT "channel_folders_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "channel_traffic" (
    "channel_id" INTEGER NOT NULL,
    "day" DATE NOT NULL,
    "messages" INTEGER NOT NULL,

    CONSTRAINT "channel_traffic_pkey" PRIMARY KEY ("channel_id","day")
);

-- CreateTable
CREATE TABLE "user_statuses" (
    "user_id" INTEGER NOT NULL,
    "text" TEXT NOT NULL DEFAULT '',
    "emoji_name" TEXT NOT NULL DEFAULT '',
    "emoji_code" TEXT NOT NULL DEFAULT '',
    "reaction_type" TEXT NOT NULL DEFAULT 'unicode_emoji',
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "user_statuses_pkey" PRIMARY KEY ("user_id")
);

-- CreateTable
CREATE TABLE "realm_emoji" (
    "id" SERIAL NOT NULL,
    "realm_id" INTEGER NOT NULL,
    "name" TEXT NOT NULL,
    "author_id" INTEGER,
    "file_key" TEXT NOT NULL,
    "is_deactivated" BOOLEAN NOT NULL DEFAULT false,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "realm_emoji_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "profile_fields" (
    "id" SERIAL NOT NULL,
    "realm_id" INTEGER NOT NULL,
    "name" TEXT NOT NULL,
    "hint" TEXT NOT NULL DEFAULT '',
    "field_type" SMALLINT NOT NULL,
    "field_data" JSONB,
    "position" INTEGER NOT NULL DEFAULT 0,
    "summary_slot" SMALLINT,
    "is_required" BOOLEAN NOT NULL DEFAULT false,
    "is_user_editable" BOOLEAN NOT NULL DEFAULT true,
    "is_for_matching" BOOLEAN NOT NULL DEFAULT false,

    CONSTRAINT "profile_fields_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "profile_values" (
    "field_id" INTEGER NOT NULL,
    "user_id" INTEGER NOT NULL,
    "value" TEXT NOT NULL,
    "rendered" TEXT,

    CONSTRAINT "profile_values_pkey" PRIMARY KEY ("field_id","user_id")
);

-- CreateTable
CREATE TABLE "playgrounds" (
    "id" SERIAL NOT NULL,
    "realm_id" INTEGER NOT NULL,
    "name" TEXT NOT NULL,
    "pygments_language" TEXT NOT NULL,
    "url_template" TEXT NOT NULL,

    CONSTRAINT "playgrounds_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "muted_users" (
    "user_id" INTEGER NOT NULL,
    "muted_user_id" INTEGER NOT NULL,
    "muted_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "muted_users_pkey" PRIMARY KEY ("user_id","muted_user_id")
);

-- CreateTable
CREATE TABLE "attachments" (
    "id" SERIAL NOT NULL,
    "realm_id" INTEGER NOT NULL,
    "owner_id" INTEGER NOT NULL,
    "path_id" TEXT NOT NULL,
    "file_name" TEXT NOT NULL,
    "content_type" TEXT NOT NULL,
    "size_bytes" BIGINT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "attachments_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "attachment_messages" (
    "attachment_id" INTEGER NOT NULL,
    "message_id" INTEGER NOT NULL,

    CONSTRAINT "attachment_messages_pkey" PRIMARY KEY ("attachment_id","message_id")
);

-- CreateTable
CREATE TABLE "video_call_tokens" (
    "user_id" INTEGER NOT NULL,
    "provider" TEXT NOT NULL,
    "sealed" BYTEA NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "video_call_tokens_pkey" PRIMARY KEY ("user_id","provider")
);

-- CreateIndex
CREATE UNIQUE INDEX "channel_folders_realm_id_name_key" ON "channel_folders"("realm_id", "name");

-- CreateIndex
CREATE INDEX "realm_emoji_realm_id_name_idx" ON "realm_emoji"("realm_id", "name");

-- CreateIndex
CREATE UNIQUE INDEX "profile_fields_realm_id_name_key" ON "profile_fields"("realm_id", "name");

-- CreateIndex
CREATE UNIQUE INDEX "profile_fields_realm_id_summary_slot_key" ON "profile_fields"("realm_id", "summary_slot");

-- CreateIndex
CREATE INDEX "profile_values_user_id_idx" ON "profile_values"("user_id");

-- CreateIndex
CREATE UNIQUE INDEX "playgrounds_realm_id_pygments_language_name_key" ON "playgrounds"("realm_id", "pygments_language", "name");

-- CreateIndex
CREATE INDEX "muted_users_muted_user_id_idx" ON "muted_users"("muted_user_id");

-- CreateIndex
CREATE UNIQUE INDEX "attachments_path_id_key" ON "attachments"("path_id");

-- CreateIndex
CREATE INDEX "attachments_owner_id_idx" ON "attachments"("owner_id");

-- CreateIndex
CREATE INDEX "attachment_messages_message_id_idx" ON "attachment_messages"("message_id");

-- CreateIndex
CREATE INDEX "messages_sender_id_id_idx" ON "messages"("sender_id", "id");

-- AddForeignKey
ALTER TABLE "realm_email_domains" ADD CONSTRAINT "realm_email_domains_realm_id_fkey" FOREIGN KEY ("realm_id") REFERENCES "realms"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "channels" ADD CONSTRAINT "channels_folder_id_fkey" FOREIGN KEY ("folder_id") REFERENCES "channel_folders"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "channel_folders" ADD CONSTRAINT "channel_folders_realm_id_fkey" FOREIGN KEY ("realm_id") REFERENCES "realms"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "channel_traffic" ADD CONSTRAINT "channel_traffic_channel_id_fkey" FOREIGN KEY ("channel_id") REFERENCES "channels"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "user_statuses" ADD CONSTRAINT "user_statuses_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "realm_emoji" ADD CONSTRAINT "realm_emoji_realm_id_fkey" FOREIGN KEY ("realm_id") REFERENCES "realms"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "realm_emoji" ADD CONSTRAINT "realm_emoji_author_id_fkey" FOREIGN KEY ("author_id") REFERENCES "users"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "profile_fields" ADD CONSTRAINT "profile_fields_realm_id_fkey" FOREIGN KEY ("realm_id") REFERENCES "realms"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "profile_values" ADD CONSTRAINT "profile_values_field_id_fkey" FOREIGN KEY ("field_id") REFERENCES "profile_fields"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "profile_values" ADD CONSTRAINT "profile_values_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "playgrounds" ADD CONSTRAINT "playgrounds_realm_id_fkey" FOREIGN KEY ("realm_id") REFERENCES "realms"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "muted_users" ADD CONSTRAINT "muted_users_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "muted_users" ADD CONSTRAINT "muted_users_muted_user_id_fkey" FOREIGN KEY ("muted_user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "attachments" ADD CONSTRAINT "attachments_realm_id_fkey" FOREIGN KEY ("realm_id") REFERENCES "realms"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "attachments" ADD CONSTRAINT "attachments_owner_id_fkey" FOREIGN KEY ("owner_id") REFERENCES "users"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "attachment_messages" ADD CONSTRAINT "attachment_messages_attachment_id_fkey" FOREIGN KEY ("attachment_id") REFERENCES "attachments"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "attachment_messages" ADD CONSTRAINT "attachment_messages_message_id_fkey" FOREIGN KEY ("message_id") REFERENCES "messages"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "video_call_tokens" ADD CONSTRAINT "video_call_tokens_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;
