import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { roles } from '#directory/roles';
import { success } from '#test/answers';
import { Correspondence } from '#test/messages-organisation';
import type { Person } from '#test/organisation';
import { startGateway } from '#test/start-gateway';
import type { System } from '#test/start-system';
import { slowness } from './cost.fixture.js';

/** The channels that one request may name. */
const CHANNELS = 100;
/** A member subscribes 20,000 accounts with one request. */
const SUBSCRIBERS = 8000;
const LONGEST_HOLD_MS = 50;
/** Of several costs the least counts, because measurements vary. */
const ROUNDS = 4;

let system: System;
let owner: Person;
let person: Person;
let other: Person;
/** The members may subscribe to the channels. */
let groupId: number;
const names: string[] = [];

beforeAll(async () => {
  system = await startGateway({}, { isOptimised: true });
  const mail = await Correspondence.in(system);
  owner = await mail.organisation.addPerson({ role: roles.owner });
  [person, other] = (await mail.organisation.addPeople(2)) as [Person, Person];
  const { prisma } = system.database.database;
  const crowd = await mail.addCrowd(SUBSCRIBERS);
  // Whoever may subscribe to a channel may come back to it.
  groupId = await mail.addGroup([owner, person], { name: 'readers' });
  const canSubscribeId = groupId;
  // Permissions for one account, as the creator of a channel has them.
  const holder = await mail.addGroup([person]);
  const permissions = { canAddSubscribersId: holder, canDeleteAnyMessageId: holder };
  for (const _ of Array(CHANNELS)) {
    const traits = { isPrivate: true, canSubscribeId, ...permissions };
    const { id: channelId, name } = await mail.addChannel([person], traits);
    names.push(name);
    await prisma.$executeRaw`
      INSERT INTO subscriptions (channel_id, user_id)
      SELECT ${channelId}, id FROM unnest(${crowd.map(({ id }) => id)}::int[]) AS crowd (id)`;
  }
  await prisma.$executeRaw`ANALYZE subscriptions`;
}, 300_000);

afterAll(() => system?.stop());

const leave = () => person.api.delete('/users/me/subscriptions', { subscriptions: names });
const join = () =>
  person.api.post('/users/me/subscriptions', { subscriptions: names.map((name) => ({ name })) });
const deactivate = () => owner.api.delete(`/users/${person.id}`);
const change = (members: object) =>
  owner.api.post(`/user_groups/${groupId}/members`, { ...members });
const reactivate = () => owner.api.post(`/users/${person.id}/reactivate`);

describe('Private channels with many subscribers', () => {
  it.each([
    ['the end of subscriptions', leave, join],
    ['new subscriptions', async () => (await leave(), join()), async () => success],
    [
      'a new member of a group that may subscribe',
      () => change({ add: [other.id] }),
      () => change({ delete: [other.id] }),
    ],
    ['the deactivation of an account', deactivate, reactivate],
  ])('hold the event loop briefly: %s', async (_what, cause, back) => {
    let heldMs = Number.POSITIVE_INFINITY;
    for (let round = 1; round <= ROUNDS; round += 1) {
      await system.costOf('api-gateway');
      expect(await cause()).toMatchObject(success);
      heldMs = Math.min(heldMs, (await system.costOf('api-gateway')).heldMs);
      expect(await back()).toMatchObject(success);
    }
    expect(heldMs).toBeLessThan(LONGEST_HOLD_MS * slowness());
  });
});
