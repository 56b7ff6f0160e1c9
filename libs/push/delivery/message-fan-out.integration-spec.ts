import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { PAGE_RECIPIENTS } from '#push/notifications';
import { PushSystem } from '#test/push-system';
import { PushWorld } from '#test/push-world';

let system: PushSystem;
let world: PushWorld;

beforeAll(async () => {
  system = await PushSystem.start();
});

beforeEach(async () => {
  world = await PushWorld.in(system);
});

afterEach(() => system.stopWorkers());

afterAll(() => system?.stop());

/** Stores a message of a channel with one recipient, as one of many, and a row that waits for a worker. */
async function storeMessage() {
  const { prisma } = system.database;
  const { userId } = world.account;
  const { realmId } = system;
  const sender = await system.addAccount();
  const channel = await prisma.channel.create({ data: { realmId, name: `channel ${userId}` } });
  const channelId = channel.id;
  const subscription = { channelId, userId, pushNotifications: true };
  await prisma.subscription.create({ data: subscription });
  const text = { topic: 'greetings', content: 'Hello', rendered: '<p>Hello</p>', client: 'test' };
  const { id: messageId } = await prisma.message.create({
    data: { realmId, senderId: sender.userId, channelId, ...text },
  });
  await prisma.userMessage.create({ data: { userId, messageId } });
  return { id: Number(messageId), senderId: sender.userId, channelId };
}

async function notify(): Promise<() => void> {
  const message = await storeMessage();
  const many = { mentionedVia: new Map<number, number>(), recipientCount: PAGE_RECIPIENTS + 1 };
  return system.database.transaction((transaction) =>
    system.messages.stored(transaction, { ...message, ...many }),
  );
}

describe('A message with many recipients', () => {
  it('is notified by a worker', async () => {
    const token = await world.addPhone();
    await world.startWorker();
    const start = await notify();
    start();
    await world.ended('delivered');
    expect(world.fcm.sent).toMatchObject([{ token, content: { kind: 'message' } }]);
  });

  it('is notified by the sweeper if its job was lost', async () => {
    await world.addPhone();
    await notify();
    await system.database.query(
      'age_fan_outs',
      `UPDATE push_fan_outs SET progressed_at = now() - interval '1 minute'`,
    );
    const worker = await world.startWorker();
    expect(await world.deliveries()).toEqual([]);
    await system.sweep(worker);
    await world.ended('delivered');
    expect(await system.database.prisma.pushFanOut.count()).toBe(0);
  });
});
