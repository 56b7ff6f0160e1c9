-- Look-ups of names whatever their case. Each index is named in test/integration/migrations.
SET LOCAL lock_timeout = '5s';

CREATE INDEX "users_realm_id_lower_full_name_idx" ON "users" ("realm_id", lower("full_name"));
CREATE INDEX "channels_realm_id_lower_name_idx" ON "channels" ("realm_id", lower("name"));
CREATE INDEX "user_groups_realm_id_lower_name_idx" ON "user_groups" ("realm_id", lower("name"));
