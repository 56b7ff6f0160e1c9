import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { defaultPresenceTiming, longestTexts, roles } from '#platform/contracts';
import { EventClient } from '#test/event-client';
import { addOrganisation, type Organisation } from '#test/organisation';
import { startGateway } from '#test/start-gateway';
import type { System } from '#test/start-system';
import { z } from 'zod';

let system: System;
let organisation: Organisation;

beforeAll(async () => {
  system = await startGateway();
});
beforeEach(async () => {
  organisation = await addOrganisation(system);
});
afterAll(() => system?.stop());

const positive = z.int().positive();
// The host of an organisation of a test, org-1.127.0.0.1, is valid for no parser of URLs.
const origin = z.string().regex(/^https?:\/\/[^/]+$/);
const address = z.string().regex(/^https?:\/\/[^/]+\/.+$/);
const channelId = z.int().min(-1);
const groupValue = z.union([
  positive,
  z.strictObject({ direct_members: z.array(positive), direct_subgroups: z.array(positive) }),
]);
const provider = z.strictObject({ id: z.int().min(0), name: z.string().min(1) });

/** The members of the fetch type `realm`, as the clients of the field demand them. */
const realmState = z.strictObject({
  realm_name: z.string(),
  realm_icon_url: z.url(),
  realm_url: origin,
  realm_uri: origin,
  realm_description: z.string(),
  realm_date_created: positive,
  max_stream_name_length: z.literal(60),
  max_topic_length: z.literal(60),
  max_message_length: z.literal(10_000),
  max_stream_description_length: z.literal(1024),
  max_file_upload_size_mib: positive,
  max_avatar_file_size_mib: z.literal(5),
  max_icon_file_size_mib: z.literal(5),
  realm_upload_quota_mib: positive.nullable(),
  server_presence_ping_interval_seconds: z.literal(60),
  server_presence_offline_threshold_seconds: z.literal(200),
  server_typing_started_expiry_period_milliseconds: z.literal(45_000),
  server_typing_stopped_wait_period_milliseconds: z.literal(12_000),
  server_typing_started_wait_period_milliseconds: z.literal(30_000),
  event_queue_longpoll_timeout_seconds: z.literal(90),
  realm_presence_disabled: z.boolean(),
  realm_waiting_period_threshold: z.int().min(0),
  realm_wildcard_mention_policy: z.union([1, 2, 3, 5, 6, 7].map((policy) => z.literal(policy))),
  realm_allow_message_editing: z.literal(true),
  realm_message_content_edit_limit_seconds: positive.nullable(),
  realm_allow_edit_history: z.boolean(),
  realm_message_edit_history_visibility_policy: z.enum(['all', 'moves', 'none']),
  realm_message_content_delete_limit_seconds: positive.nullable(),
  realm_move_messages_within_stream_limit_seconds: z.literal(604_800),
  realm_move_messages_between_streams_limit_seconds: z.literal(604_800),
  realm_can_access_all_users_group: groupValue,
  realm_can_add_subscribers_group: groupValue,
  realm_can_create_users_group: groupValue,
  realm_can_delete_any_message_group: groupValue,
  realm_can_delete_own_message_group: groupValue,
  realm_can_manage_all_groups: groupValue,
  realm_can_move_messages_between_topics_group: groupValue,
  realm_can_move_messages_between_channels_group: groupValue,
  realm_enable_read_receipts: z.boolean(),
  realm_message_retention_days: z.literal(-1),
  realm_topics_policy: z.enum(['allow_empty_topic', 'disable_empty_topic']),
  realm_mandatory_topics: z.boolean(),
  realm_empty_topic_display_name: z.literal('general chat'),
  realm_default_external_accounts: z.record(
    z.string(),
    z.strictObject({
      name: z.string(),
      text: z.string(),
      hint: z.string(),
      url_pattern: z.string().includes('%(username)s'),
    }),
  ),
  realm_moderation_request_channel_id: channelId,
  realm_new_stream_announcements_stream_id: channelId,
  realm_signup_announcements_stream_id: channelId,
  realm_zulip_update_announcements_stream_id: channelId,
  server_report_message_types: z.array(z.strictObject({ key: z.string(), name: z.string() })),
  server_emoji_data_url: address,
  server_thumbnail_formats: z.tuple([]),
  server_generation: z.int(),
  server_needs_upgrade: z.literal(false),
  development_environment: z.literal(false),
  zulip_plan_is_not_limited: z.literal(true),
  realm_plan_type: z.literal(1),
  realm_org_type: z.literal(0),
  realm_is_zephyr_mirror_realm: z.literal(false),
  realm_push_notifications_enabled: z.boolean(),
  realm_push_notifications_enabled_end_timestamp: z.null(),
  realm_bot_domain: z.string().min(1),
  realm_default_language: z.literal('en'),
  realm_default_code_block_language: z.literal(''),
  realm_video_chat_provider: z.int().min(0),
  realm_available_video_chat_providers: z.record(z.string(), provider),
  jitsi_server_url: z.null(),
  server_avatar_changes_disabled: z.literal(true),
  realm_name_changes_disabled: z.literal(false),
  realm_email_changes_disabled: z.literal(true),
  realm_authentication_methods: z.strictObject({
    Email: z.strictObject({ enabled: z.literal(true), available: z.literal(true) }),
  }),
  realm_email_auth_enabled: z.literal(true),
  realm_password_auth_enabled: z.literal(true),
});

/** The members of every registration. */
const registration = z.strictObject({
  result: z.literal('success'),
  msg: z.literal(''),
  queue_id: z.string().min(1),
  last_event_id: z.int(),
  idle_queue_timeout_secs: positive,
  zulip_version: z.string().min(1),
  zulip_merge_base: z.string(),
  zulip_feature_level: z.literal(512),
});

const strictAnswer = z.strictObject({ ...registration.shape, ...realmState.shape });

/** The state of the fetch type `realm` for a new account. */
async function readRealm(role: number = roles.member) {
  const person = await organisation.addPerson({ role });
  const { state } = await EventClient.register(person.api, { fetch_event_types: ['realm'] });
  return strictAnswer.parse(state);
}

/** The id of a system group. */
async function groupId(name: string): Promise<number> {
  const where = { realmId: organisation.id, name };
  const group = await system.database.database.prisma.userGroup.findFirstOrThrow({ where });
  return group.id;
}

const changeRealm = (data: object) =>
  system.database.database.prisma.realm.update({ where: { id: organisation.id }, data });

describe('the fetch type realm of POST /register', () => {
  it.each(['owner', 'member', 'guest'] as const)(
    'has exactly the members that clients demand: %s',
    async (role) => {
      await expect(readRealm(roles[role])).resolves.toBeDefined();
    },
  );

  it('is absent unless the client wants it', async () => {
    const person = await organisation.addPerson();
    const { state } = await EventClient.register(person.api, { fetch_event_types: [] });
    expect(registration.parse(state)).toBeDefined();
  });

  it('tells the profile of the organisation', async () => {
    const { createdAt, subdomain } = await changeRealm({ name: 'Acme', description: '*Tools*' });
    const state = await readRealm();
    const realmUrl = system.gatewayUrl.replace('//', `//${subdomain}.`);
    expect(state).toMatchObject({
      realm_name: 'Acme',
      realm_description: '*Tools*',
      realm_date_created: Math.floor(createdAt.getTime() / 1000),
      realm_url: realmUrl,
      realm_uri: realmUrl,
      realm_bot_domain: organisation.host,
    });
    expect(state.server_emoji_data_url.startsWith(`${realmUrl}/`)).toBe(true);
  });

  it('tells the settings of the organisation', async () => {
    expect(await readRealm()).toMatchObject({
      realm_presence_disabled: false,
      realm_waiting_period_threshold: 0,
      realm_topics_policy: 'allow_empty_topic',
      realm_mandatory_topics: false,
      realm_upload_quota_mib: null,
    });
    await changeRealm({
      isPresenceDisabled: true,
      waitingPeriodDays: 3,
      topicsPolicy: 'disable_empty_topic',
      uploadQuotaMib: 7,
    });
    expect(await readRealm()).toMatchObject({
      realm_presence_disabled: true,
      realm_waiting_period_threshold: 3,
      realm_topics_policy: 'disable_empty_topic',
      realm_mandatory_topics: true,
      realm_upload_quota_mib: 7,
    });
  });

  it('tells the limits that the server has', async () => {
    const state = await readRealm();
    expect(state.server_presence_ping_interval_seconds).toBe(
      defaultPresenceTiming.pingIntervalSeconds,
    );
    const person = await organisation.addPerson();
    const send = (content: string) =>
      person.api.post('/messages', { type: 'direct', to: JSON.stringify([person.id]), content });
    expect(await send('x'.repeat(state.max_message_length))).toMatchObject({ status: 200 });
    expect(await send('x'.repeat(state.max_message_length + 1))).toMatchObject({ status: 400 });
    expect(state.max_topic_length).toBe(longestTexts.topic);
  });

  it('tells the channel for reports while it is not archived', async () => {
    const { prisma } = system.database.database;
    const channel = await prisma.channel.create({
      data: { realmId: organisation.id, name: 'reports' },
    });
    const told = async () => (await readRealm()).realm_moderation_request_channel_id;
    expect(await told()).toBe(-1);
    await changeRealm({ moderationChannelId: channel.id });
    expect(await told()).toBe(channel.id);
    await prisma.channel.update({
      where: { id: channel.id },
      data: { archivedAt: new Date() },
    });
    expect(await told()).toBe(-1);
  });

  it('tells the default groups of permissions', async () => {
    const administrators = await groupId('role:administrators');
    const everyone = await groupId('role:everyone');
    const members = await groupId('role:members');
    expect(await readRealm()).toMatchObject({
      realm_can_access_all_users_group: everyone,
      realm_can_add_subscribers_group: members,
      realm_can_create_users_group: administrators,
      realm_can_delete_any_message_group: administrators,
      realm_can_delete_own_message_group: everyone,
      realm_can_manage_all_groups: await groupId('role:owners'),
      realm_can_move_messages_between_topics_group: everyone,
      realm_can_move_messages_between_channels_group: members,
    });
  });

  it('tells stored groups of permissions, a nameless one by its members', async () => {
    const person = await organisation.addPerson();
    const { prisma } = system.database.database;
    const nameless = await prisma.userGroup.create({ data: { realmId: organisation.id } });
    await prisma.userGroupMember.create({ data: { groupId: nameless.id, userId: person.id } });
    const moderators = await groupId('role:moderators');
    await changeRealm({
      canAccessAllUsersGroupId: moderators,
      canCreateUsersGroupId: nameless.id,
    });
    expect(await readRealm(roles.guest)).toMatchObject({
      realm_can_access_all_users_group: moderators,
      realm_can_create_users_group: { direct_members: [person.id], direct_subgroups: [] },
    });
  });

  it('tells the reasons that reports can have', async () => {
    const { server_report_message_types: types } = await readRealm();
    expect(types).toContainEqual({ key: 'spam', name: 'Spam' });
    expect(types.at(-1)?.key).toBe('other');
  });

  it('tells that nothing is configured', async () => {
    expect(await readRealm()).toMatchObject({
      realm_push_notifications_enabled: false,
      realm_video_chat_provider: 0,
      realm_available_video_chat_providers: { disabled: { id: 0, name: 'None' } },
    });
  });
});
