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
const ROUNDS = 2;

let system: System;
let administrator: Person;
let person: Person;
const names: string[] = [];

beforeAll(async () => {
  system = await startGateway({}, { isOptimised: true });
  const mail = await Correspondence.in(system);
  administrator = await mail.organisation.addPerson({ role: roles.administrator });
  person = await mail.organisation.addPerson();
  const { prisma } = system.database.database;
  const crowd = await mail.addCrowd(SUBSCRIBERS);
  // Whoever may subscribe to a channel may come back to it.
  const { id: canSubscribeId } = await prisma.userGroup.findFirstOrThrow({
    where: { realmId: mail.organisation.id, name: 'role:members' },
  });
  for (const _ of Array(CHANNELS)) {
    const traits = { isPrivate: true, canSubscribeId };
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
const deactivate = () => administrator.api.delete(`/users/${person.id}`);
const reactivate = () => administrator.api.post(`/users/${person.id}/reactivate`);

describe('Private channels with many subscribers', () => {
  it.each([
    ['the end of subscriptions', leave, join],
    ['new subscriptions', async () => (await leave(), join()), async () => success],
    ['the deactivation of an account', deactivate, reactivate],
  ])('hold the event loop briefly: %s', async (_what, change, back) => {
    let heldMs = Number.POSITIVE_INFINITY;
    for (let round = 1; round <= ROUNDS; round += 1) {
      await system.costOf('api-gateway');
      expect(await change()).toMatchObject(success);
      heldMs = Math.min(heldMs, (await system.costOf('api-gateway')).heldMs);
      expect(await back()).toMatchObject(success);
    }
    expect(heldMs).toBeLessThan(LONGEST_HOLD_MS * slowness());
  });
});
