import { describe, expect, it } from '@jest/globals';
import { idOf, success } from '#test/answers';
import { roles } from '#directory/roles';
import { commitTogether } from '#test/commit-together';
import { EventClient } from '#test/event-client';
import { countStatements } from '#test/count-statements';
import type { Person } from '#test/organisation';
import { useGateway } from '#test/start-gateway';
import { Correspondence, sendToChannel, sendToPeople } from '#test/messages-organisation';
import { useFixture } from '#test/use-fixture';

const system = useGateway();
const mail = useFixture(() => Correspondence.in(system));
const sender = useFixture(() => mail.organisation.addPerson());
const newcomer = useFixture(() => mail.organisation.addPerson());
const guest = useFixture(() => mail.organisation.addPerson({ role: roles.guest }));

const flag = (who: Person, messages: readonly number[], op: string, name: string) =>
  who.api.post('/messages/flags', { messages, op, flag: name });
const rowOf = async ({ id }: Person, messageId: number) => (await mail.received(messageId)).get(id);
const flagsOf = async (who: Person, id: number) =>
  Object((await who.api.get(`/messages/${id}`)).body['message']).flags as unknown;

/** A message of a public channel that the newcomer is not subscribed to. */
async function earlierMessage(): Promise<number> {
  return idOf(await sendToChannel(sender, await mail.addChannel([sender])));
}

describe.each([
  ['starred', 'isStarred'],
  ['collapsed', 'isCollapsed'],
  ['hide_link_previews', 'hidesLinkPreviews'],
] as const)('The flag %s of a message that was not sent to the caller', (name, column) => {
  it('is added with `read` and `historical`, and can be removed', async () => {
    const id = await earlierMessage();
    const added = await flag(newcomer, [id], 'add', name);
    expect(added.body).toMatchObject({
      messages: [id],
      ignored_because_not_subscribed_channels: [],
    });
    expect(await rowOf(newcomer, id)).toMatchObject({
      [column]: true,
      isRead: true,
      isHistorical: true,
      isMentioned: false,
    });
    expect(await flagsOf(newcomer, id)).toEqual(['read', name, 'historical']);
    const removed = await flag(newcomer, [id], 'remove', name);
    expect(removed.body).toMatchObject({ messages: [id] });
    expect(await flagsOf(newcomer, id)).toEqual(['read', 'historical']);
  });

  it('is ignored where the caller may not read the message', async () => {
    const isPrivate = await mail.addChannel([sender], { isPrivate: true });
    const hidden = await mail.addChannel([sender], { isHistoryPublic: false });
    const ids = [
      idOf(await sendToChannel(sender, isPrivate)),
      idOf(await sendToChannel(sender, hidden)),
      idOf(await sendToPeople(sender, [guest])),
      system.demo.messages['general_1'] ?? 0,
      2_147_483_647,
    ];
    const left = await mail.addChannel([sender, newcomer], { isPrivate: true });
    const received = idOf(await sendToChannel(sender, left));
    await system.database.database.prisma.subscription.updateMany({
      where: { channelId: left.id, userId: newcomer.id },
      data: { isActive: false },
    });
    expect((await flag(newcomer, [received], 'add', name)).body).toMatchObject({ messages: [] });
    expect(await rowOf(newcomer, received)).toMatchObject({ [column]: false });
    expect((await flag(newcomer, ids, 'add', name)).body).toMatchObject({ messages: [] });
    for (const id of ids) expect(await rowOf(newcomer, id)).toBeUndefined();
    const open = await earlierMessage();
    expect((await flag(guest, [open], 'add', name)).body).toMatchObject({ messages: [] });
    expect((await flag(newcomer, [open], 'add', name)).body).toMatchObject({ messages: [open] });
  });

  it('makes no row when it is removed', async () => {
    const id = await earlierMessage();
    expect((await flag(newcomer, [id], 'remove', name)).body).toMatchObject({ messages: [] });
    expect(await rowOf(newcomer, id)).toBeUndefined();
  });

  it('is added once by concurrent requests, beside received messages', async () => {
    const channel = await mail.addChannel([sender, newcomer]);
    const received = idOf(await sendToChannel(sender, channel));
    const ids = [await earlierMessage(), received, await earlierMessage()];
    const replies = await Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        flag(newcomer, index % 2 === 0 ? ids : ids.toReversed(), 'add', name),
      ),
    );
    const messages = ids.toSorted((one, other) => one - other);
    for (const { body } of replies) expect(body).toMatchObject({ messages });
    expect(await rowOf(newcomer, received)).toMatchObject({ isHistorical: false, isRead: false });
  });
});

describe('The row of a message that was not sent to the account', () => {
  it('gives no access once the channel hides its history', async () => {
    const channel = await mail.addChannel([sender]);
    const id = idOf(await sendToChannel(sender, channel));
    await flag(newcomer, [id], 'add', 'starred');
    const data = { isHistoryPublic: false };
    await system.database.database.prisma.channel.update({ where: { id: channel.id }, data });
    expect(await newcomer.api.get(`/messages/${id}`)).toMatchObject({ status: 400 });
    expect((await sender.api.get(`/messages/${id}`)).status).toBe(200);
  });

  it('gives no access to linked files once the channel hides its history', async () => {
    const file = await mail.addFile(sender);
    const channel = await mail.addChannel([sender]);
    const id = idOf(await sendToChannel(sender, channel, `[Plan](${file.url})`));
    const sharedBy = async (person: Person) =>
      mail.linkedFiles(idOf(await sendToPeople(person, [guest], `[Plan](${file.url})`)));
    const [early, late] = await mail.organisation.addPeople(2);
    if (early === undefined || late === undefined) throw new Error('Nobody was added');
    await flag(late, [id], 'add', 'starred');
    expect(await sharedBy(early)).toEqual([file.id]);
    const data = { isHistoryPublic: false };
    await system.database.database.prisma.channel.update({ where: { id: channel.id }, data });
    expect(await sharedBy(late)).toEqual([]);
  });

  it('is not left behind by a move to where the account cannot read the message', async () => {
    const target = await mail.addChannel([sender], { isPrivate: true });
    const id = await earlierMessage();
    const replies = await commitTogether(
      system,
      mail.organisation,
      () => sender.api.patch(`/messages/${id}`, { stream_id: target.id }),
      () => flag(newcomer, [id], 'add', 'starred'),
    );
    expect(replies).toMatchObject([success, { body: { messages: [] } }]);
    expect(await rowOf(newcomer, id)).toBeUndefined();
  });

  it('does not count as the newest message of the account', async () => {
    const person = await mail.organisation.addPerson();
    await flag(person, [await earlierMessage()], 'add', 'starred');
    expect((await person.api.get('/users/me')).body).toMatchObject({ max_message_id: -1 });
  });

  it('costs no more statements than for a received message', async () => {
    const channel = await mail.addChannel([sender, newcomer]);
    const received = idOf(await sendToChannel(sender, channel));
    await flag(newcomer, [received], 'add', 'starred');
    const forReceived = await countStatements(() => flag(newcomer, [received], 'add', 'collapsed'));
    const id = await earlierMessage();
    const forBoth = await countStatements(() => flag(newcomer, [received, id], 'add', 'starred'));
    expect([forReceived, forBoth]).toEqual([7, 7]);
  });
});

describe('A message to mark as unread', () => {
  it('is unknown to a subscriber once the channel hides its history, with its later topic', async () => {
    const channel = await mail.addChannel([sender]);
    const ids = [
      idOf(await sendToChannel(sender, channel)),
      idOf(await sendToChannel(sender, channel)),
    ];
    const [unread = 0, read = 0] = ids;
    await flag(newcomer, ids, 'add', 'starred');
    const { prisma } = system.database.database;
    await prisma.subscription.create({ data: { channelId: channel.id, userId: newcomer.id } });
    expect((await flag(newcomer, [unread], 'remove', 'read')).body).toMatchObject({
      messages: [unread],
    });
    const data = { isHistoryPublic: false };
    await prisma.channel.update({ where: { id: channel.id }, data });
    const move = {
      topic: 'a kumquat',
      propagate_mode: 'change_all',
      send_notification_to_new_thread: false,
    };
    expect(await sender.api.patch(`/messages/${unread}`, move)).toMatchObject(success);
    const client = await EventClient.register(newcomer.api);
    expect(JSON.stringify(client.state['unread_msgs'])).not.toContain('kumquat');
    const reply = await flag(newcomer, ids, 'remove', 'read');
    expect(reply.body).toMatchObject({
      messages: [],
      ignored_because_not_subscribed_channels: [],
    });
    expect(await client.drain()).toEqual([]);
    expect(await rowOf(newcomer, read)).toMatchObject({ isRead: true });
  });

  it('stays read in a channel without a subscription, which is listed', async () => {
    const left = await mail.addChannel([sender, newcomer]);
    const kept = await mail.addChannel([sender, newcomer]);
    const ids = [
      idOf(await sendToChannel(sender, left)),
      idOf(await sendToChannel(sender, kept)),
      idOf(await sendToPeople(sender, [newcomer])),
    ];
    await flag(newcomer, ids, 'add', 'read');
    await system.database.database.prisma.subscription.updateMany({
      where: { channelId: left.id, userId: newcomer.id },
      data: { isActive: false },
    });
    const reply = await flag(newcomer, ids, 'remove', 'read');
    expect(reply.body).toEqual({
      result: 'success',
      msg: '',
      messages: ids.slice(1),
      ignored_because_not_subscribed_channels: [left.id],
    });
    const [inLeft = 0, inKept = 0] = ids;
    expect(await rowOf(newcomer, inLeft)).toMatchObject({ isRead: true });
    expect(await rowOf(newcomer, inKept)).toMatchObject({ isRead: false });
  });

  it('lists the channels of readable messages that were not sent to the caller, and no others', async () => {
    const [open, other] = [await mail.addChannel([sender]), await mail.addChannel([sender])];
    const secret = await mail.addChannel([sender], { isPrivate: true });
    const ids = [
      idOf(await sendToChannel(sender, other)),
      idOf(await sendToChannel(sender, open)),
      idOf(await sendToChannel(sender, open)),
      idOf(await sendToChannel(sender, secret)),
    ];
    expect((await flag(newcomer, ids, 'remove', 'read')).body).toMatchObject({
      messages: [],
      ignored_because_not_subscribed_channels: [open.id, other.id],
    });
  });
});
