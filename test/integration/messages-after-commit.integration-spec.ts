import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { failAfterCommit } from '../support/failing-statements.js';
import { startGateway } from '../support/start-gateway.js';
import type { System } from '../support/start-system.js';
import { NotifiedPeople } from './message-notifications.world.js';
import { sendToPeople } from './messages.organisation.js';

let system: System;
let people: NotifiedPeople;

beforeAll(async () => {
  system = await startGateway({});
  people = await NotifiedPeople.in(system);
}, 30_000);

afterAll(() => system?.stop());

describe('A message that is stored while PostgreSQL is about to fail', () => {
  it('is a success, stored once and on its way to phones', async () => {
    const [sender, reader] = [await people.add(), await people.add()];
    const earlier = await sendToPeople(sender, [reader]);
    expect(earlier.status).toBe(200);
    const [reply, later] = await failAfterCommit(system, async () => [
      await sendToPeople(sender, [reader]),
      await sendToPeople(sender, [reader]),
    ]);
    expect(later).toMatchObject({ status: 503 });
    expect(reply).toMatchObject({ status: 200, body: { result: 'success' } });
    expect(await people.prisma.message.count({ where: { senderId: sender.id } })).toBe(2);
    expect(await people.triggerOf(reader, reply.body['id'])).toBe('direct');
  });

  it('is a muting that is kept, with all messages read', async () => {
    const sender = await people.add();
    // Without a phone: a message on a screen is read in a transaction before that of the muting.
    const reader = await people.mail.organisation.addPerson();
    const { body } = await sendToPeople(sender, [reader]);
    const reply = await failAfterCommit(system, () =>
      reader.api.post(`/users/me/muted_users/${sender.id}`),
    );
    expect(reply).toMatchObject({ status: 200, body: { result: 'success' } });
    expect((await people.mail.received(body['id'])).get(reader.id)?.isRead).toBe(true);
  });
});
