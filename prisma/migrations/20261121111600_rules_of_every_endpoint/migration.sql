-- What Prisma's schema language cannot say. Each addition is named in test/integration/migrations.

-- One emoji of each name is in use; those before it keep their rows, for who still shows them.
CREATE UNIQUE INDEX "realm_emoji_active_name_key" ON "realm_emoji" ("realm_id", "name") WHERE NOT "is_deactivated";

-- The profile summary has two places.
ALTER TABLE "profile_fields" ADD CONSTRAINT "profile_fields_summary_slot_check" CHECK ("summary_slot" IN (1, 2));

-- Nobody mutes themselves.
ALTER TABLE "muted_users" ADD CONSTRAINT "muted_users_not_self_check" CHECK ("user_id" <> "muted_user_id");

-- What is still unread is a small part of the table, and asked for by person.
CREATE INDEX "user_messages_unread_idx" ON "user_messages" ("user_id", "message_id") WHERE NOT "is_read";

-- Who stands in a group directly. The system groups' people follow from their roles, so that the two never differ.
DELETE FROM "user_group_members" USING "user_groups" WHERE "group_id" = "id" AND "is_system";
CREATE VIEW "user_group_direct_members" AS
SELECT "group_id", "user_id" FROM "user_group_members"
UNION ALL
SELECT g."id", u."id"
FROM "user_groups" g
JOIN "realms" r ON r."id" = g."realm_id"
JOIN "users" u ON u."realm_id" = g."realm_id"
WHERE g."is_system" AND CASE g."name"
  WHEN 'role:owners' THEN u."role" = 100
  WHEN 'role:administrators' THEN u."role" = 200
  WHEN 'role:moderators' THEN u."role" = 300
  WHEN 'role:fullmembers' THEN u."role" = 400 AND u."date_joined" <= now() - make_interval(days => r."waiting_period_days")
  WHEN 'role:members' THEN u."role" = 400
  WHEN 'role:everyone' THEN u."role" = 600
  ELSE false
END;

-- Organisations of before get the system groups that they have not.
INSERT INTO "user_groups" ("realm_id", "name", "description", "is_system")
SELECT r."id", s."name", s."description", true
FROM "realms" r CROSS JOIN (VALUES
  ('role:owners', 'The owners of the organization'),
  ('role:administrators', 'Administrators and owners'),
  ('role:moderators', 'Moderators and everyone above them'),
  ('role:fullmembers', 'Members who are past the waiting period, and everyone above them'),
  ('role:members', 'Everyone but guests'),
  ('role:everyone', 'Everyone in the organization, guests included'),
  ('role:internet', 'Anyone on the internet'),
  ('role:nobody', 'No one at all')
) AS s ("name", "description")
ON CONFLICT ("realm_id", "name") DO NOTHING;
INSERT INTO "user_group_subgroups" ("supergroup_id", "subgroup_id")
SELECT sup."id", sub."id"
FROM (VALUES
  ('role:administrators', 'role:owners'),
  ('role:moderators', 'role:administrators'),
  ('role:fullmembers', 'role:moderators'),
  ('role:members', 'role:fullmembers'),
  ('role:everyone', 'role:members'),
  ('role:internet', 'role:everyone')
) AS link ("super", "sub")
JOIN "user_groups" sup ON sup."name" = link."super" AND sup."is_system"
JOIN "user_groups" sub ON sub."name" = link."sub" AND sub."is_system" AND sub."realm_id" = sup."realm_id"
ON CONFLICT DO NOTHING;

-- What is counted from now on as messages are sent, for those of before.
UPDATE "channels" c SET "first_message_id" = (SELECT min(m."id") FROM "messages" m WHERE m."channel_id" = c."id");
INSERT INTO "channel_traffic" ("channel_id", "day", "messages")
SELECT "channel_id", ("sent_at" AT TIME ZONE 'UTC')::date, count(*)
FROM "messages" WHERE "channel_id" IS NOT NULL GROUP BY 1, 2;
