import type {
  GroupSettingValue,
  GroupSettingValues,
  RealmPermission,
  SystemGroupIds,
} from '#directory/groups';
import { type RealmProfile, UNLIMITED_DAYS } from '#directory/realms';
import { nameUuid, realmHost } from '#platform/core';
import { NO_CHANNEL } from './constant-fields.js';
import { fixedRealmPermissions } from './realm-permissions.js';
import type { RealmStateOptions } from './realm-state.options.js';
import type { RealmState } from './realm-state.repository.js';

/** The members of the state that an organisation has stored. */
export const toRealmResponse = (realm: RealmState, profile: RealmProfile, externalUrl: URL) => ({
  realm_name: profile.name,
  realm_icon_url: profile.iconUrl,
  realm_url: profile.url,
  realm_uri: profile.url,
  realm_description: realm.description,
  realm_rendered_description: profile.descriptionHtml,
  realm_uuid: nameUuid(profile.url),
  realm_date_created: Math.floor(profile.createdAt.getTime() / 1000),
  // The host of the addresses of bots.
  realm_bot_domain: realmHost(externalUrl, realm.subdomain),
  realm_presence_disabled: realm.isPresenceDisabled,
  realm_require_e2ee_push_notifications: realm.requiresEncryptedPush,
  realm_send_channel_events_messages: realm.sendsChannelEvents,
  realm_waiting_period_threshold: realm.waitingPeriodDays,
  realm_message_retention_days: realm.messageRetentionDays ?? UNLIMITED_DAYS,
  realm_topics_policy: realm.topicsPolicy,
  realm_mandatory_topics: realm.topicsPolicy === 'disable_empty_topic',
  realm_upload_quota_mib: realm.uploadQuotaMib,
  realm_moderation_request_channel_id: realm.moderationChannelId ?? NO_CHANNEL,
  realm_new_stream_announcements_stream_id: realm.announcementChannelId ?? NO_CHANNEL,
});

/** The configuration of the program. */
export const toOptionsResponse = ({ largestFileMib, presenceTiming }: RealmStateOptions) => ({
  max_file_upload_size_mib: largestFileMib,
  server_presence_ping_interval_seconds: presenceTiming.pingIntervalSeconds,
  server_presence_offline_threshold_seconds: presenceTiming.offlineThresholdSeconds,
});

/** The holders of each permission of an organisation. */
export function toPermissionsResponse(
  permissions: Readonly<Record<RealmPermission, number>>,
  values: GroupSettingValues,
  systemGroups: SystemGroupIds,
): Record<string, GroupSettingValue> {
  const valueOf = (groupId: number) => values.get(groupId) ?? groupId;
  const fixed = Object.entries(fixedRealmPermissions).map(
    ([member, group]) => [member, systemGroups[group]] as const,
  );
  const stored = Object.entries(permissions).map(
    ([name, groupId]) => [`realm_${name}`, valueOf(groupId)] as const,
  );
  return Object.fromEntries([...fixed, ...stored]);
}
