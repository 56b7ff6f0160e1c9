import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type ProviderAnswer, refusal } from '#push/providers';
import { eventually } from '#test/eventually';
import { usePushSystem } from '#test/push-system';
import { PushWorld } from '#test/push-world';

const system = usePushSystem();
let world: PushWorld;

beforeEach(async () => {
  world = await PushWorld.in(system);
  await world.addIphone();
});

afterEach(() => system.stopWorkers());

const accepted: ProviderAnswer = { kind: 'accepted' };
const unanswered: ProviderAnswer = { kind: 'unanswered', reason: 'deadline', wasSent: true };
const unavailable = refusal({ status: 503, reason: 'ServiceUnavailable' });
/** A short pause in place of the usual one. */
const throttled = refusal({ status: 429, reason: 'TooManyRequests', retryAfterMs: 500 });

/** Stores a direct message to the account; resolves with its id. */
async function store(): Promise<number> {
  const { prisma } = system.database;
  const { userId: senderId } = await system.addAccount();
  const conversation = await prisma.directConversation.create({
    data: {
      realmId: system.realmId,
      key: `${world.account.userId},${senderId}`,
      members: { create: [{ userId: senderId }, { userId: world.account.userId }] },
    },
  });
  const { id } = await prisma.message.create({
    data: {
      realmId: system.realmId,
      senderId,
      conversationId: conversation.id,
      content: 'Hello',
      rendered: '<p>Hello</p>',
    },
  });
  await prisma.userMessage.create({ data: { userId: world.account.userId, messageId: id } });
  return Number(id);
}

/** Notifies the account of a message. */
async function notify(id: number): Promise<void> {
  const { senderId } = await system.database.prisma.message.findUniqueOrThrow({ where: { id } });
  await system.database.transaction((transaction) =>
    system.messages.stored(transaction, {
      id,
      senderId,
      channelId: null,
      mentionedVia: new Map<number, number>(),
      recipientCount: 1,
    }),
  );
}

/** Takes a message back; it becomes read, or stays unread as after an edit. */
async function takeBack(messageId: number, isRead: boolean): Promise<void> {
  await system.database.prisma.userMessage.updateMany({
    where: { messageId },
    data: { isRead, isPushed: false },
  });
  await system.takeBack(messageId, world.account);
}

/** The kinds of the pushes that were sent. */
const sentKinds = () => world.apns.sent.map(({ content }) => content.kind);

const timesSent = (kind: string) => sentKinds().filter((one) => one === kind).length;

/** Answers a message with each of these in turn, the last one repeated, and a removal with success. */
function answerMessages(...answers: readonly ProviderAnswer[]): void {
  const left = [...answers];
  world.apns.answerWith(({ content }) =>
    content.kind === 'remove' ? accepted : ((left.length > 1 ? left.shift() : left[0]) ?? accepted),
  );
}

const statesAtEnd = () =>
  eventually(async () => {
    const states = (await world.deliveries()).map(({ state }) => state);
    expect(states).not.toContain('pending');
    return states;
  });

describe('A message that is read before its push is repeated', () => {
  it.each<[string, readonly ProviderAnswer[], string, boolean]>([
    ['had no answer', [unanswered], 'delivered', true],
    ['had a temporary error', [unavailable], 'delivered', true],
    ['had no answer, and was then refused', [unanswered, throttled], 'delivered', true],
    ['was refused', [throttled], 'withdrawn', false],
  ])('is removed from the phone if the push %s', async (_case, answers, removal, mayBeShown) => {
    answerMessages(...answers);
    const messageId = await store();
    await world.startWorker();
    await notify(messageId);
    await eventually(async () => {
      const [delivery] = await world.deliveries();
      expect(delivery).toMatchObject({ state: 'pending', mayBeShown });
      expect(delivery?.attempts).toBeGreaterThanOrEqual(answers.length);
    });
    await takeBack(messageId, true);
    expect(await statesAtEnd()).toEqual(['withdrawn', removal]);
    expect(timesSent('remove')).toBe(removal === 'delivered' ? 1 : 0);
  });
});

describe('A removal', () => {
  it('that is late precedes a newer notification of its message', async () => {
    world.apns.answerWith(({ content }) =>
      content.kind === 'remove' && timesSent('remove') < 2 ? unavailable : accepted,
    );
    const messageId = await store();
    await world.startWorker();
    await notify(messageId);
    await world.ended('delivered');
    await takeBack(messageId, false);
    await eventually(() => expect(timesSent('remove')).toBeGreaterThan(0));
    await notify(messageId);
    expect(await statesAtEnd()).toEqual(['delivered', 'delivered', 'delivered']);
    expect(timesSent('message')).toBe(2);
    expect(sentKinds().slice(-2)).toEqual(['remove', 'message']);
  });

  it('ends a notification that waits for a retry, although the message is unread', async () => {
    answerMessages(throttled);
    const messageId = await store();
    await world.startWorker();
    await notify(messageId);
    await eventually(() => expect(timesSent('message')).toBeGreaterThan(0));
    await takeBack(messageId, false);
    expect(await statesAtEnd()).toEqual(['withdrawn', 'withdrawn']);
    expect(timesSent('remove')).toBe(0);
  });
});
