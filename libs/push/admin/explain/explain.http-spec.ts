import { beforeAll, describe, expect, it } from '@jest/globals';
import { OperatorActionRepository, OperatorActions } from '#platform/operator-actions';
import { PushLedgerService } from '../push-ledger.service.js';
import { NotifiedPeople } from '#test/message-notifications-world';
import { sendToChannel, sendToPeople } from '#test/messages-organisation';
import type { Person } from '#test/organisation';
import { useGateway } from '#test/start-gateway';
import { DeadLetterRepository } from '../dead-letter.repository.js';
import { NotificationHistoryRepository } from '../notification-history.repository.js';
import { NotificationFactsRepository } from './notification-facts.repository.js';

const system = useGateway();
let sut: PushLedgerService;
let people: NotifiedPeople;
let sender: Person;

beforeAll(async () => {
  const { database } = system.database;
  sut = new PushLedgerService(
    new NotificationHistoryRepository(database),
    new DeadLetterRepository(
      database,
      new OperatorActions(new OperatorActionRepository(database), 'test'),
    ),
    new NotificationFactsRepository(database),
  );
  people = await NotifiedPeople.in(system);
  sender = await people.add();
});

const explain = (messageId: number, { id }: Person) => sut.explain(messageId, id);

/** A direct message of the sender to a person. */
async function writeTo(person: Person): Promise<number> {
  return Number((await sendToPeople(sender, [person])).body['id']);
}

describe(`${PushLedgerService.name}.explain`, () => {
  it('shows the notification and its removal', async () => {
    const reader = await people.add();
    const messageId = await writeTo(reader);
    expect(await explain(messageId, reader)).toMatchObject({
      reason: 'notified',
      text: 'Notified: 1 pending.',
      notifications: [{ kind: 'message', messageIds: [messageId], states: { pending: 1 } }],
    });
    await reader.api.post('/messages/flags', { messages: [messageId], op: 'add', flag: 'read' });
    expect(await explain(messageId, reader)).toMatchObject({
      reason: 'notified',
      text: expect.stringContaining('read or deleted later'),
      notifications: [{ kind: 'remove' }, { kind: 'message' }],
    });
  });

  it.each<[string, string, (reader: Person) => Promise<unknown> | undefined]>([
    [
      'active',
      String.raw`^Not notified yet: the account was active 4\d s ago`,
      (reader) => people.wasActive(reader, 40),
    ],
    [
      'not_wanted',
      'direct messages are off',
      ({ id }) => people.prisma.user.update({ where: { id }, data: { isPushEnabled: false } }),
    ],
    [
      'not_a_person',
      'is a bot',
      ({ id }) => people.prisma.user.update({ where: { id }, data: { isBot: true } }),
    ],
    [
      'muted_sender',
      'muted the sender',
      ({ api }) => api.post(`/users/me/muted_users/${sender.id}`),
    ],
    [
      'no_device',
      'has no phone',
      ({ id }) => people.prisma.pushDevice.deleteMany({ where: { userId: id } }),
    ],
    [
      'old_devices',
      '1 of an earlier API key',
      ({ id }) => people.prisma.user.update({ where: { id }, data: { keyGeneration: 2 } }),
    ],
  ])('gives the reason %s: %s', async (reason, text, prepare) => {
    const reader = await people.add();
    await prepare(reader);
    const messageId = await writeTo(reader);
    const explanation = await explain(messageId, reader);
    expect(explanation).toMatchObject({ reason, text: expect.stringMatching(text) });
    expect(explanation.notifications).toEqual([]);
    // A message of a muted sender is read, too.
    const broken = explanation.rules.filter(({ holds }) => holds === false);
    expect(broken).toHaveLength(reason === 'muted_sender' ? 2 : 1);
  });

  it('says that a worker has not reached the account yet', async () => {
    const reader = await people.add({ isPushedChannels: true });
    const channel = await people.mail.addChannel([sender]);
    const messageId = Number((await sendToChannel(sender, channel, 'Hello')).body['id']);
    await people.prisma.userMessage.create({ data: { userId: reader.id, messageId } });
    const subscription = { userId: reader.id, channelId: channel.id };
    await people.prisma.subscription.create({ data: subscription });
    const waiting = { messageId, channelId: channel.id, senderId: sender.id, mentionedVia: {} };
    const expiresAt = new Date(Date.now() + 60_000);
    await people.prisma.pushFanOut.create({ data: { ...waiting, expiresAt } });
    // The account may be idle by the time when the worker reaches it.
    await people.wasActive(reader, 40);
    expect(await explain(messageId, reader)).toMatchObject({ reason: 'waiting' });
    await people.wasActive(reader, 1000);
    expect(await explain(messageId, reader)).toMatchObject({ reason: 'waiting' });

    await people.prisma.pushFanOut.update({
      where: { messageId },
      data: { afterUserId: reader.id },
    });
    expect(await explain(messageId, reader)).toMatchObject({ reason: 'unknown' });
  });

  it('names the sender, and accounts that did not receive the message', async () => {
    const [reader, stranger] = [await people.add(), await people.add()];
    const messageId = await writeTo(reader);
    expect(await explain(messageId, sender)).toMatchObject({ reason: 'own_message' });
    expect(await explain(messageId, stranger)).toMatchObject({ reason: 'not_a_recipient' });
    await people.prisma.message.delete({ where: { id: messageId } });
    expect(await explain(messageId, stranger)).toMatchObject({ reason: 'no_message' });
  });

  it('names an account that was deactivated since, before its other reasons', async () => {
    const reader = await people.add();
    await people.wasActive(reader, 40);
    const messageId = await writeTo(reader);
    await people.prisma.user.update({ where: { id: reader.id }, data: { isActive: false } });
    expect(await explain(messageId, reader)).toMatchObject({
      reason: 'deactivated',
      text: expect.stringContaining('the account is deactivated'),
    });
  });

  it('applies the settings of the channel', async () => {
    const reader = await people.add();
    const channel = await people.mail.addChannel([sender, reader]);
    const messageId = Number((await sendToChannel(sender, channel)).body['id']);
    expect(await explain(messageId, reader)).toMatchObject({
      reason: 'not_wanted',
      text: expect.stringContaining('its subscription'),
    });
    await people.prisma.subscription.updateMany({
      where: { channelId: channel.id, userId: reader.id },
      data: { isMuted: true, pushNotifications: true },
    });
    expect(await explain(messageId, reader)).toMatchObject({
      reason: 'not_wanted',
      text: expect.stringContaining('has muted the channel'),
    });
    await people.prisma.subscription.updateMany({
      where: { channelId: channel.id, userId: reader.id },
      data: { isMuted: false },
    });
    expect(await explain(messageId, reader)).toMatchObject({ reason: 'unknown' });
  });

  it('says that a worker is about to decide about an account that has left', async () => {
    const reader = await people.add();
    await people.wasActive(reader, 10);
    const messageId = await writeTo(reader);
    await people.wasActive(reader, 1000);
    expect(await explain(messageId, reader)).toMatchObject({
      reason: 'waiting',
      text: expect.stringMatching(/^Not notified yet: the account has left/),
    });
    await reader.api.post('/messages/flags', { messages: [messageId], op: 'add', flag: 'read' });
    expect(await explain(messageId, reader)).toMatchObject({ reason: 'read' });
  });
});
