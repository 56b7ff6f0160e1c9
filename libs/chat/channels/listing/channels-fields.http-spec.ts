import { describe, expect, it } from '@jest/globals';
import { useGateway } from '#test/start-gateway';
import { useFixture } from '#test/use-fixture';
import { channelsOf, OrganisationOfChannels } from '../channels-organisation.fixture.js';

const DAY_MS = 86_400_000;
const daysAgo = (days: number): Date => new Date(Date.now() - days * DAY_MS);

const system = useGateway();
const world = useFixture(() => OrganisationOfChannels.add(system));
const member = useFixture(() => world.organisation.addPerson());

async function listed(name: string): Promise<Readonly<Record<string, unknown>>> {
  const query = { include_all: true, exclude_archived: false };
  const reply = await member.api.get('/streams', query);
  const found = channelsOf(reply).find((channel) => channel['name'] === name);
  if (found === undefined) throw new Error(`"${name}" is not listed.`);
  return found;
}

describe('A listed channel', () => {
  it('has default values without settings', async () => {
    const createdAt = new Date('2026-03-04T05:06:07.890Z');
    const id = await world.addChannel('plain', { description: 'Just *plain*.', createdAt });
    const [administrators, everyone, nobody] = await Promise.all(
      ['role:administrators', 'role:everyone', 'role:nobody'].map((name) =>
        world.systemGroup(name),
      ),
    );
    expect(await listed('plain')).toEqual({
      stream_id: id,
      name: 'plain',
      is_archived: false,
      description: 'Just *plain*.',
      rendered_description: '<p>Just <em>plain</em>.</p>',
      date_created: 1_772_600_767,
      creator_id: null,
      invite_only: false,
      is_web_public: false,
      stream_post_policy: 1,
      is_announcement_only: false,
      message_retention_days: null,
      history_public_to_subscribers: true,
      topics_policy: 'inherit',
      first_message_id: null,
      folder_id: null,
      default_push_notifications: false,
      is_recently_active: false,
      stream_weekly_traffic: 0,
      subscriber_count: 0,
      can_add_subscribers_group: nobody,
      can_remove_subscribers_group: administrators,
      can_administer_channel_group: nobody,
      can_delete_any_message_group: nobody,
      can_delete_own_message_group: nobody,
      can_move_messages_out_of_channel_group: nobody,
      can_move_messages_within_channel_group: nobody,
      can_resolve_topics_group: nobody,
      can_send_message_group: everyone,
      can_subscribe_group: nobody,
      can_create_topic_group: everyone,
    });
  });

  it('returns its settings', async () => {
    const other = await world.organisation.addPerson();
    const folder = await system.database.database.prisma.channelFolder.create({
      data: { realmId: world.organisation.id, name: 'Projects' },
    });
    await world.addChannel(
      'set',
      {
        isPrivate: true,
        isHistoryPublic: true,
        creatorId: other.id,
        archivedAt: new Date(),
        messageRetentionDays: -1,
        topicsPolicy: 'empty_topic_only',
        folderId: folder.id,
        firstMessageId: 12n,
        canSendMessageId: await world.systemGroup('role:administrators'),
      },
      [member, other],
    );
    expect(await listed('set')).toMatchObject({
      is_archived: true,
      creator_id: other.id,
      invite_only: true,
      stream_post_policy: 2,
      is_announcement_only: true,
      message_retention_days: -1,
      history_public_to_subscribers: true,
      topics_policy: 'empty_topic_only',
      first_message_id: 12,
      folder_id: folder.id,
      stream_weekly_traffic: null,
      subscriber_count: 2,
    });
  });

  it.each([
    ['role:fullmembers', 3],
    ['role:moderators', 4],
    ['role:members', 1],
  ])('maps the senders %s to the former policy', async (group, policy) => {
    await world.addChannel(`for ${group}`, { canSendMessageId: await world.systemGroup(group) });
    expect(await listed(`for ${group}`)).toMatchObject({
      stream_post_policy: policy,
      is_announcement_only: false,
    });
  });

  it('hides the history of a private channel from new subscribers by default', async () => {
    await world.addChannel('confidential', { isPrivate: true }, [member]);
    expect(await listed('confidential')).toMatchObject({ history_public_to_subscribers: false });
  });

  it('returns a permission for an anonymous group as lists of people and groups', async () => {
    const other = await world.organisation.addPerson();
    const gone = await world.organisation.addPerson({ isActive: false });
    const moderators = await world.systemGroup('role:moderators');
    const group = await world.addAnonymousGroup([other.id, gone.id, member.id], [moderators]);
    await world.addChannel('one by one', { canSubscribeId: group, canResolveTopicsId: moderators });
    expect(await listed('one by one')).toMatchObject({
      can_subscribe_group: {
        direct_members: [member.id, other.id],
        direct_subgroups: [moderators],
      },
      can_resolve_topics_group: moderators,
    });
  });

  it('counts neither former subscribers nor deactivated accounts', async () => {
    const left = await world.organisation.addPerson();
    const gone = await world.organisation.addPerson({ isActive: false });
    const channelId = await world.addChannel('counted', {}, [member, left, gone]);
    await system.database.database.prisma.subscription.update({
      where: { channelId_userId: { channelId, userId: left.id } },
      data: { isActive: false },
    });
    expect(await listed('counted')).toMatchObject({ subscriber_count: 1 });
  });

  it('returns its description as safe HTML', async () => {
    const description = '<img src=x onerror=alert(1)> [go](javascript:alert(1))';
    await world.addChannel('harmless', { description });
    const channel = await listed('harmless');
    expect(channel).toMatchObject({ description });
    expect(channel['rendered_description']).not.toMatch(/<img|href="javascript/);
  });
});

describe('The traffic of a channel', () => {
  const addTraffic = async (channelId: number, days: Readonly<Record<number, number>>) => {
    await system.database.database.prisma.channelTraffic.createMany({
      data: Object.entries(days).map(([ago, messages]) => ({
        channelId,
        day: daysAgo(Number(ago)),
        messages,
      })),
    });
  };

  it.each<[what: string, ageDays: number, days: Record<number, number>, expected: object]>([
    [
      'of four weeks is a quarter of theirs',
      400,
      { 0: 200, 27: 200, 28: 999 },
      { stream_weekly_traffic: 100, is_recently_active: true },
    ],
    [
      'of two weeks is the half of theirs',
      14,
      { 0: 10, 13: 30 },
      { stream_weekly_traffic: 20, is_recently_active: true },
    ],
    [
      'of less than a week is not known',
      6,
      { 1: 10 },
      { stream_weekly_traffic: null, is_recently_active: true },
    ],
    [
      'that ended 180 days ago is recent',
      400,
      { 180: 5 },
      { stream_weekly_traffic: 0, is_recently_active: true },
    ],
    [
      'that ended 181 days ago is not recent',
      400,
      { 181: 5 },
      { stream_weekly_traffic: 0, is_recently_active: false },
    ],
    [
      'that was deleted is not recent',
      400,
      { 1: 0 },
      { stream_weekly_traffic: 0, is_recently_active: false },
    ],
    [
      'may be more than a 32-bit number of messages',
      400,
      { 0: 2_000_000_000, 1: 2_000_000_000 },
      { stream_weekly_traffic: 1_000_000_000, is_recently_active: true },
    ],
  ])('%s', async (what, ageDays, days, expected) => {
    // Slightly older, since the request happens later.
    const createdAt = daysAgo(ageDays + 0.001);
    await addTraffic(await world.addChannel(what, { createdAt }), days);
    expect(await listed(what)).toMatchObject(expected);
  });
});
