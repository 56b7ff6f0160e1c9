import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { JobQueues } from '#platform/queue';
import { PAGE_RECIPIENTS } from '#push/notifications';
import { EncryptedPhone } from '#test/encrypted-phone';
import { LEAST_PAGE } from '#push/notifications';
import { eventually } from '#test/eventually';
import { FakePushService } from '#test/fake-push-service';
import { PushRegistrations } from '#test/push-registrations';
import { type Account, PushSystem, usePushSystem } from '#test/push-system';
import { androidToken } from '#test/push-tokens';
import { PushWorld } from '#test/push-world';
import { useFixture } from '#test/use-fixture';

const system = usePushSystem();
let world: PushWorld;

beforeEach(async () => {
  world = await PushWorld.in(system);
});

afterEach(() => system.stopWorkers());

/** Stores a message of a channel with these recipients, as one of many, and a row that waits for a worker. */
async function storeMessage(at: PushSystem, recipients: readonly Account[]) {
  const { prisma } = at.database;
  const { realmId } = at;
  const { userId: senderId } = await at.addAccount();
  const { id: channelId } = await prisma.channel.create({
    data: { realmId, name: `channel ${senderId}` },
  });
  const text = { topic: 'greetings', content: 'Hello', rendered: '<p>Hello</p>', client: 'test' };
  const { id: messageId } = await prisma.message.create({
    data: { realmId, senderId, channelId, ...text },
  });
  for (const { userId } of recipients) {
    await prisma.subscription.create({ data: { channelId, userId, pushNotifications: true } });
    await prisma.userMessage.create({ data: { userId, messageId } });
  }
  return { id: Number(messageId), senderId, channelId };
}

interface StoredFanOut {
  readonly messageId: number;
  readonly channelId: number;
  /** Adds its job, as it otherwise happens after the commit. */
  readonly start: () => void;
}

async function storeFanOut(
  at = system,
  recipients: readonly Account[] = [world.account],
): Promise<StoredFanOut> {
  const message = await storeMessage(at, recipients);
  const many = { mentionedVia: new Map<number, number>(), recipientCount: PAGE_RECIPIENTS + 1 };
  const tasks: (() => void | Promise<void>)[] = [];
  await at.database.transaction(async (transaction) => {
    jest.spyOn(transaction, 'afterCommit').mockImplementation((task) => void tasks.push(task));
    await at.messages.stored(transaction, { ...message, ...many });
  });
  const start = () => tasks.forEach((task) => void task());
  return { messageId: message.id, channelId: message.channelId, start };
}

/** As if the fan-outs had waited for a minute. */
const ageFanOuts = () =>
  system.database.query(
    'age_fan_outs',
    `UPDATE push_fan_outs SET progressed_at = now() - interval '1 minute'`,
  );

describe('A message with many recipients', () => {
  it('is notified by a worker', async () => {
    const token = await world.addPhone();
    await world.startWorker();
    const { start } = await storeFanOut();
    start();
    await world.ended('delivered');
    expect(world.fcm.sent).toMatchObject([{ token, content: { kind: 'message' } }]);
  });

  it('reaches each phone in a page as the phone of its own account', async () => {
    const accounts = await Promise.all(
      Array.from({ length: LEAST_PAGE }, () => system.addAccount()),
    );
    const owners = new Map<string, number>();
    for (const account of accounts) {
      const token = androidToken();
      await system.devices.register(account, { platform: 'fcm', token });
      owners.set(token, account.userId);
    }
    await world.startWorker();
    const { start } = await storeFanOut(system, accounts);
    start();
    await eventually(() => expect(world.fcm.sent).toHaveLength(accounts.length));
    const reached = world.fcm.sent.map(
      ({ token, recipient }) => [token, recipient.userId] as const,
    );
    expect(new Map(reached)).toEqual(owners);
    const ids = world.fcm.sent.map(({ notificationId }) => notificationId);
    expect(new Set(ids).size).toBe(accounts.length);
  });

  it('is notified by the sweeper if its job was lost', async () => {
    await world.addPhone();
    await storeFanOut();
    await ageFanOuts();
    const worker = await world.startWorker();
    expect(await world.deliveries()).toEqual([]);
    await system.sweep(worker);
    await world.ended('delivered');
    expect(await system.database.prisma.pushFanOut.count()).toBe(0);
  });

  it('is notified by the sweeper while its job waits for a retry, or is held by a killed worker', async () => {
    await world.addPhone();
    const { messageId, channelId } = await storeFanOut();
    await system.service(JobQueues).enqueue('push-control', {
      name: 'message.notify',
      jobId: `message-${messageId}`,
      payload: { v: 1, channelId },
      delayMs: 60_000,
    });
    await ageFanOuts();
    await system.sweep(await world.startWorker());
    expect(await world.ended('delivered')).toHaveLength(1);
  });
});

describe('A server that relays', () => {
  const service = useFixture(() => FakePushService.start());
  const relaying = useFixture(() => PushSystem.start({ relay: service.settings }));

  it('notifies the many recipients of a message through the service', async () => {
    const accounts = [await relaying.addAccount(), await relaying.addAccount()];
    const phones = new PushRegistrations(relaying);
    await relaying.startRelayWorker();
    for (const account of accounts) {
      const phone = EncryptedPhone.android(service.publicKey);
      await phones.register(account, phone);
      await eventually(async () => {
        const device = { where: { id: phone.deviceId } };
        const found = await relaying.database.prisma.clientDevice.findUniqueOrThrow(device);
        expect(found).toMatchObject({ pendingTokenId: null, errorCode: null });
      });
    }
    const { start } = await storeFanOut(relaying, accounts);
    start();
    for (const account of accounts) {
      await eventually(async () =>
        expect(await relaying.deliveriesOf(account)).toMatchObject([{ state: 'delivered' }]),
      );
    }
    expect(service.sent).toHaveLength(accounts.length);
  });
});
