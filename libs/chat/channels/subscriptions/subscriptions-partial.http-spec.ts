import { randomBytes } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { roles } from '#directory/roles';
import { useGateway } from '#test/start-gateway';
import { useFixture } from '#test/use-fixture';
import { channelsOf, OrganisationOfChannels } from '../channels-organisation.fixture.js';
import { SubscriberLists } from './subscriber-lists.js';
import { SubscriptionRepository } from './subscription.repository.js';

const DAY_S = 86_400;
const LARGE = 250;

const secondsAgo = (seconds: number): Date => new Date(Date.now() - seconds * 1000);
const longAgo = secondsAgo(100 * DAY_S);

const system = useGateway();
const world = useFixture(() => OrganisationOfChannels.add(system));
const reader = useFixture(() => world.organisation.addPerson({ dateJoined: longAgo }));
/** Of a large channel of a large organisation, most of them inactive. */
let crowd: { id: number }[];

/** Adds accounts without a sign-in and without activity. */
async function addCrowd(count: number): Promise<{ id: number }[]> {
  return system.database.database.prisma.user.createManyAndReturn({
    data: Array.from({ length: count }, (_, index) => ({
      realmId: world.organisation.id,
      deliveryEmail: `crowd${index}@${world.organisation.host}`,
      email: `crowd${index}@${world.organisation.host}`,
      fullName: `One of ${count}`,
      role: roles.member,
      apiKeyHash: new Uint8Array(randomBytes(32)),
      apiKeySealed: new Uint8Array(),
      dateJoined: longAgo,
    })),
    select: { id: true },
  });
}

beforeAll(async () => {
  crowd = await addCrowd(LARGE);
});

const listed = async (name: string) =>
  channelsOf(
    await reader.api.get('/users/me/subscriptions', { include_subscribers: 'partial' }),
  ).find((channel) => channel['name'] === name);

describe('The partial list of subscribers', () => {
  it('is complete for a channel of 249 subscribers', async () => {
    await world.addChannel('of 249', {}, [reader, ...crowd.slice(0, LARGE - 2)]);
    const channel = await listed('of 249');
    expect(channel?.['subscribers']).toHaveLength(LARGE - 1);
    expect(channel).not.toHaveProperty('partial_subscribers');
  });

  it('omits inactive subscribers of a channel of 250, but never the caller', async () => {
    await world.addChannel('of 250', {}, [reader, ...crowd.slice(0, LARGE - 1)]);
    const channel = await listed('of 250');
    expect(channel).toMatchObject({ partial_subscribers: [reader.id], subscriber_count: LARGE });
    expect(channel).not.toHaveProperty('subscribers');
  });

  it('counts only active accounts', async () => {
    const gone = await world.organisation.addPerson({ isActive: false });
    await world.addChannel('of 249 and one', {}, [reader, gone, ...crowd.slice(0, LARGE - 2)]);
    expect(await listed('of 249 and one')).not.toHaveProperty('partial_subscribers');
  });

  it('is complete when the request asks for all subscribers', async () => {
    await world.addChannel('of all', {}, [reader, ...crowd]);
    const reply = await reader.api.get('/users/me/subscriptions', { include_subscribers: 'true' });
    const channel = channelsOf(reply).find(({ name }) => name === 'of all');
    expect(channel?.['subscribers']).toEqual([reader, ...crowd].map(({ id }) => id));
    expect(channel).not.toHaveProperty('partial_subscribers');
  });
});

describe('The partial list of subscribers, by activity', () => {
  interface Case {
    readonly traits: Parameters<OrganisationOfChannels['organisation']['addPerson']>[0];
    /** The age of the last report in seconds; null without a report. */
    readonly seen?: { readonly idle: number; readonly active: number | null };
    readonly sentAgo?: number;
  }

  const away = { idle: 15 * DAY_S, active: 15 * DAY_S };

  async function isListed(name: string, { traits, seen, sentAgo }: Case): Promise<boolean> {
    const { prisma } = system.database.database;
    const person = await world.organisation.addPerson({ dateJoined: longAgo, ...traits });
    const realmId = world.organisation.id;
    const now = Math.floor(Date.now() / 1000);
    if (seen !== undefined) {
      const activeAt = seen.active === null ? null : now - seen.active;
      await world.organisation.lastSeen(person, now - seen.idle, activeAt);
    }
    const channelId = await world.addChannel(name, {}, [reader, person, ...crowd]);
    if (sentAgo !== undefined) {
      await prisma.message.create({
        data: {
          realmId,
          senderId: person.id,
          channelId,
          content: 'Here I am.',
          sentAt: secondsAgo(sentAgo),
        },
      });
    }
    const subscribers = (await listed(name))?.['partial_subscribers'];
    if (!Array.isArray(subscribers)) throw new Error(`"${name}" has no partial list.`);
    expect(subscribers).toContain(reader.id);
    return subscribers.includes(person.id);
  }

  it('keeps an account for 14 days, by the clock of the gateway', async () => {
    const person = await world.organisation.addPerson({ dateJoined: longAgo });
    const seenAt = Math.floor(Date.now() / 1000);
    await world.organisation.lastSeen(person, seenAt);
    const channelId = await world.addChannel('by the clock', {}, [reader, person, ...crowd]);
    const { database } = system.database;
    const listedAt = async (seconds: number) => {
      const sut = new SubscriberLists(new SubscriptionRepository(database), () => seconds * 1000);
      const lists = await sut.of([channelId], reader.id, 'partial');
      return lists?.get(channelId)?.userIds.includes(person.id);
    };
    expect(await listedAt(seenAt + 14 * DAY_S - 1)).toBe(true);
    expect(await listedAt(seenAt + 14 * DAY_S + 1)).toBe(false);
  });

  it.each<[who: string, somebody: Case, expected: boolean]>([
    ['an account without any activity', { traits: {} }, false],
    ['an account that was inactive for 15 days', { traits: {}, seen: away }, false],
    [
      'an account that was active an hour less than 14 days ago',
      { traits: {}, seen: { idle: 14 * DAY_S - 3600, active: null } },
      true,
    ],
    [
      'an account that was active an hour more than 14 days ago',
      { traits: {}, seen: { idle: 14 * DAY_S + 3600, active: null } },
      false,
    ],
    ['an active account', { traits: {}, seen: { idle: 0, active: 0 } }, true],
    ['a bot', { traits: { isBot: true } }, true],
    ['a bot that was active long ago', { traits: { isBot: true }, seen: away }, true],
    [
      'an account that does not share presence',
      { traits: { isPresenceEnabled: false }, seen: away },
      true,
    ],
    ['an account that joined a week ago', { traits: { dateJoined: secondsAgo(7 * DAY_S) } }, true],
    [
      'an account that sent a message a week ago',
      { traits: {}, seen: away, sentAgo: 7 * DAY_S },
      true,
    ],
    [
      'an account that sent a message 15 days ago',
      { traits: {}, seen: away, sentAgo: 15 * DAY_S },
      false,
    ],
    ['an active guest', { traits: { role: roles.guest }, seen: { idle: 0, active: 0 } }, true],
  ])('%s: %#', async (who, somebody, expected) => {
    expect(await isListed(who, somebody)).toBe(expected);
  });
});
