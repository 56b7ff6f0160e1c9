import { describe, expect, it } from '@jest/globals';
import { countStatements } from '#test/count-statements';
import type { Person } from '#test/organisation';
import { useGateway } from '#test/start-gateway';
import { useFixture } from '#test/use-fixture';
import { channelsOf, OrganisationOfChannels } from '../channels-organisation.fixture.js';

const FEW = 20;
const MANY = 2_000;

const system = useGateway();

/** A person with many subscriptions to channels that have other subscribers, each with its own permission. */
async function subscriberOf(count: number): Promise<Person> {
  const world = await OrganisationOfChannels.add(system);
  const { prisma } = system.database.database;
  const people = await world.organisation.addPeople(3);
  const ids = await world.addChannels(count, {
    canSubscribeId: await world.addAnonymousGroup([], []),
    createdAt: new Date('2026-01-01T00:00:00Z'),
  });
  await prisma.subscription.createMany({
    data: ids.flatMap((channelId) => people.map(({ id }) => ({ channelId, userId: id }))),
  });
  await prisma.channelTraffic.createMany({
    data: ids.map((channelId) => ({ channelId, day: new Date(), messages: 4 })),
  });
  const [person] = people;
  if (person === undefined) throw new Error('Nobody was added.');
  return person;
}

describe('The statements behind a list', () => {
  const fewer = useFixture(() => subscriberOf(FEW));
  const more = useFixture(() => subscriberOf(MANY));

  it.each([
    ['/streams', {}],
    ['/streams', { include_all: true, include_default: true, include_owner_subscribed: true }],
    ['/users/me/subscriptions', {}],
    ['/users/me/subscriptions', { include_subscribers: 'true' }],
    ['/users/me/subscriptions', { include_subscribers: 'partial' }],
  ])('of %s with %j do not depend on the number of channels', async (path, query) => {
    const counted = async ({ api }: Person, count: number): Promise<number> => {
      // Also caches the sign-in and the system groups.
      expect(channelsOf(await api.get(path, query))).toHaveLength(count);
      return countStatements(() => api.get(path, query));
    };
    const statements = await counted(fewer, FEW);
    expect(statements).toBeGreaterThan(0);
    expect(statements).toBeLessThanOrEqual(5);
    expect(await counted(more, MANY)).toBe(statements);
  });
});
