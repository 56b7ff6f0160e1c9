import { beforeEach, describe, expect, it } from '@jest/globals';
import { roles } from '#directory/roles';
import { longestTexts } from '#platform/contracts';
import { EventClient } from '#test/event-client';
import { addOrganisation, type Organisation } from '#test/organisation';
import { realmState, registration } from '#test/realm-state-schema';
import { useGateway } from '#test/start-gateway';
import { z } from 'zod';

const system = useGateway();
let organisation: Organisation;

beforeEach(async () => {
  organisation = await addOrganisation(system);
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

  it('contains the profile of the organisation', async () => {
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

  it('contains the settings of the organisation', async () => {
    expect(await readRealm()).toMatchObject({
      realm_presence_disabled: false,
      realm_require_e2ee_push_notifications: false,
      realm_waiting_period_threshold: 0,
      realm_message_retention_days: -1,
      realm_topics_policy: 'allow_empty_topic',
      realm_mandatory_topics: false,
      realm_upload_quota_mib: null,
    });
    await changeRealm({
      isPresenceDisabled: true,
      requiresEncryptedPush: true,
      waitingPeriodDays: 3,
      messageRetentionDays: 90,
      topicsPolicy: 'disable_empty_topic',
      uploadQuotaMib: 7,
    });
    expect(await readRealm()).toMatchObject({
      realm_presence_disabled: true,
      realm_require_e2ee_push_notifications: true,
      realm_waiting_period_threshold: 3,
      realm_message_retention_days: 90,
      realm_topics_policy: 'disable_empty_topic',
      realm_mandatory_topics: true,
      realm_upload_quota_mib: 7,
    });
  });

  it('contains the limits of the server', async () => {
    const state = await readRealm();
    expect(state.server_presence_ping_interval_seconds).toBe(60);
    const person = await organisation.addPerson();
    const stored = async (content: string) => {
      const to = JSON.stringify([person.id]);
      const { body } = await person.api.post('/messages', { type: 'direct', to, content });
      const message = await person.api.get(`/messages/${Number(body['id'])}`, {
        apply_markdown: false,
      });
      return (message.body as { message: { content: string } }).message.content;
    };
    const longest = 'x'.repeat(state.max_message_length);
    expect(await stored(longest)).toBe(longest);
    expect(await stored(`${longest}x`)).toHaveLength(state.max_message_length);
    expect(state.max_topic_length).toBe(longestTexts.topic);
  });

  it('contains the channel for reports while it is not archived', async () => {
    const { prisma } = system.database.database;
    const channel = await prisma.channel.create({
      data: { realmId: organisation.id, name: 'reports' },
    });
    const reportsChannelId = async () => (await readRealm()).realm_moderation_request_channel_id;
    expect(await reportsChannelId()).toBe(-1);
    await changeRealm({ moderationChannelId: channel.id });
    expect(await reportsChannelId()).toBe(channel.id);
    await prisma.channel.update({
      where: { id: channel.id },
      data: { archivedAt: new Date() },
    });
    expect(await reportsChannelId()).toBe(-1);
  });

  it('contains the default groups of permissions', async () => {
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

  it('contains stored groups of permissions, a nameless one by its members', async () => {
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

  it('contains the reasons that reports can have', async () => {
    const { server_report_message_types: types } = await readRealm();
    expect(types).toContainEqual({ key: 'spam', name: 'Spam' });
    expect(types.at(-1)?.key).toBe('other');
  });

  it('contains the known sites of external accounts', async () => {
    const { realm_default_external_accounts: accounts } = await readRealm();
    expect(Object.keys(accounts)).toEqual(['twitter', 'github']);
    expect(accounts['github']).toEqual({
      name: 'GitHub username',
      text: 'GitHub',
      hint: '',
      url_pattern: 'https://github.com/%(username)s',
    });
  });

  it('shows push notifications and video calls as disabled if nothing is configured', async () => {
    expect(await readRealm()).toMatchObject({
      realm_push_notifications_enabled: false,
      realm_video_chat_provider: 0,
      realm_available_video_chat_providers: { disabled: { id: 0, name: 'None' } },
    });
  });
});
