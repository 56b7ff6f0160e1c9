import { beforeEach, describe, expect, it } from '@jest/globals';
import { success } from '#test/answers';
import { EventClient } from '#test/event-client';
import { eventually } from '#test/eventually';
import { Correspondence, sendToChannel } from '#test/messages-organisation';
import type { Person } from '#test/organisation';
import { useGateway } from '#test/start-gateway';
import { useFixture } from '#test/use-fixture';
import { LeftChannels } from './left-channels.js';

const SUBSCRIPTIONS = '/users/me/subscriptions';

const system = useGateway();
const mail = useFixture(() => Correspondence.in(system));
const sender = useFixture(() => mail.organisation.addPerson());
let reader: Person;
let channel: Awaited<ReturnType<Correspondence['addChannel']>>;
/** An unread message of the channel. */
let early: number;

const prisma = () => system.database.database.prisma;
const send = async () => Number((await sendToChannel(sender, channel)).body['id']);
const leave = async () => {
  const reply = await reader.api.delete(SUBSCRIPTIONS, { subscriptions: [channel.name] });
  expect(reply).toMatchObject({ body: { removed: [channel.name] } });
};
const join = async () => {
  const subscriptions = [{ name: channel.name }];
  expect(await reader.api.post(SUBSCRIPTIONS, { subscriptions })).toMatchObject(success);
};
const unread = async (): Promise<number[]> => {
  const { state } = await EventClient.register(reader.api);
  const { streams } = state['unread_msgs'] as {
    readonly streams: readonly { readonly unread_message_ids: number[] }[];
  };
  return streams.flatMap(({ unread_message_ids }) => unread_message_ids);
};
const isRead = async (id: number) => (await mail.received(id)).get(reader.id)?.isRead;
/** The messages whose flag `read` events have set. */
const untilRead = (client: EventClient, ids: readonly number[]) =>
  eventually(async () => {
    const events = (await client.drain()).filter(({ type }) => type === 'update_message_flags');
    expect(events).toMatchObject([{ op: 'add', flag: 'read', messages: ids, all: false }]);
  });

/** A departure of the reader that no gateway carries out before `finishDeparture`. */
const delayDeparture = () =>
  prisma().leftChannel.create({
    data: { userId: reader.id, channelId: channel.id, upTo: 0, dueAt: new Date(4e12) },
  });
const finishDeparture = () =>
  prisma().leftChannel.updateMany({ where: { userId: reader.id }, data: { dueAt: new Date(0) } });

beforeEach(async () => {
  reader = await mail.organisation.addPerson();
  channel = await mail.addChannel([sender, reader]);
  early = await send();
});

describe(LeftChannels.name, () => {
  it('marks the messages of a left channel as read, with an event, and no others', async () => {
    const other = await mail.addChannel([sender, reader]);
    const elsewhere = Number((await sendToChannel(sender, other)).body['id']);
    const client = await EventClient.register(reader.api);
    await leave();
    await untilRead(client, [early]);
    expect([await isRead(early), await isRead(elsewhere)]).toEqual([true, false]);
    expect(await prisma().leftChannel.count({ where: { userId: reader.id } })).toBe(0);
  });

  it('marks those of a private channel that the account no longer sees', async () => {
    await prisma().channel.update({ where: { id: channel.id }, data: { isPrivate: true } });
    const client = await EventClient.register(reader.api);
    await leave();
    await untilRead(client, [early]);
    expect(await isRead(early)).toBe(true);
  });

  it('shows registrations no such message while it is unread, also after a new subscription', async () => {
    await delayDeparture();
    await leave();
    expect(await unread()).toEqual([]);
    await join();
    expect(await unread()).toEqual([]);
    expect(await isRead(early)).toBe(false);
  });

  it('marks no message that arrived after a new subscription', async () => {
    await delayDeparture();
    await leave();
    await join();
    const late = await send();
    expect(await unread()).toEqual([late]);
    const client = await EventClient.register(reader.api);
    await finishDeparture();
    await untilRead(client, [early]);
    expect(await unread()).toEqual([late]);
  });

  it('continues a departure whose process has died', async () => {
    await delayDeparture();
    await leave();
    await join();
    await leave();
    await finishDeparture();
    await eventually(async () => expect(await isRead(early)).toBe(true));
  });
});
