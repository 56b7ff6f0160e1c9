import { beforeAll, describe, expect, it } from '@jest/globals';
import { roles } from '#directory/roles';
import { badRequest, success } from '#test/answers';
import type { Fields } from '#test/api-client';
import { commitTogether } from '#test/commit-together';
import type { Reply } from '#test/http-request';
import { untilLockWaits } from '#test/lock-waits';
import { Correspondence } from '#test/messages-organisation';
import type { Person } from '#test/organisation';
import { useGateway } from '#test/start-gateway';
import { useFixture } from '#test/use-fixture';

type Channel = Awaited<ReturnType<Correspondence['addChannel']>>;

const system = useGateway();
const mail = useFixture(() => Correspondence.in(system));
let owner: Person;
let member: Person;
let nobodyId: number;

beforeAll(async () => {
  const { organisation } = mail;
  owner = await organisation.addPerson({ role: roles.owner });
  member = await organisation.addPerson();
  const { id } = await prisma().userGroup.findFirstOrThrow({
    where: { realmId: organisation.id, name: 'role:nobody' },
  });
  nobodyId = id;
});

const prisma = () => system.database.database.prisma;

const send = ({ api }: Person, { id }: Channel) =>
  api.post('/messages', { type: 'stream', to: id, topic: 'lunch', content: 'Hello' });

const sentBy = ({ id }: Person, channel: Channel) =>
  prisma().message.count({ where: { channelId: channel.id, senderId: id } });

const mayNotSend = ({ name }: Channel) => badRequest(`Not authorized to send to channel '${name}'`);

const notThere = { status: 400, body: { code: 'STREAM_DOES_NOT_EXIST' } };

const deactivated = { status: 401, body: { msg: 'Account is deactivated' } };

describe('A message that waits for a change of its channel', () => {
  const change = ({ id }: Channel, fields: Fields) => owner.api.patch(`/streams/${id}`, fields);

  it.each<[string, (channel: Channel) => Promise<Reply>, (channel: Channel) => object]>([
    [
      'ends the subscription of its sender to a private channel',
      ({ name }) =>
        owner.api.delete('/users/me/subscriptions', {
          subscriptions: [name],
          principals: [member.id],
        }),
      () => notThere,
    ],
    [
      'gives the right to send to others',
      (channel) => change(channel, { can_send_message_group: { new: nobodyId } }),
      mayNotSend,
    ],
    [
      'gives the right to create topics to others',
      (channel) => change(channel, { can_create_topic_group: { new: nobodyId } }),
      ({ name }) => badRequest(`Not authorized to create new topics in channel '${name}'`),
    ],
    [
      'forbids topics',
      (channel) => change(channel, { topics_policy: 'empty_topic_only' }),
      () => badRequest('Only the general chat topic is allowed in this channel.'),
    ],
  ])('is refused if the change %s', async (_, begin, refusal) => {
    const channel = await mail.addChannel([owner, member], { isPrivate: true });
    const replies = await commitTogether(
      system,
      mail.organisation,
      () => begin(channel),
      () => send(member, channel),
    );
    expect(replies).toMatchObject([success, refusal(channel)]);
    expect(await sentBy(member, channel)).toBe(0);
  });
});

/** Sends a request that waits for the channel, as for another message, until the change is done. */
async function sendDuring(
  { id }: Channel,
  change: () => Promise<Reply>,
  request: () => Promise<Reply>,
): Promise<Reply> {
  const { database } = system.database;
  const { reply } = await database.transaction(async (transaction) => {
    const lock = 'SELECT FROM channels WHERE id = $1 FOR NO KEY UPDATE';
    await transaction.query('lock_channel_of_test', lock, [id]);
    const waiting = request();
    await untilLockWaits(database);
    expect(await change()).toMatchObject(success);
    return { reply: waiting };
  });
  return reply;
}

const deactivate = ({ id }: Person) => owner.api.delete(`/users/${id}`);

describe('A message that waits for another message', () => {
  it('is refused if its sender is deactivated', async () => {
    const author = await mail.organisation.addPerson();
    const channel = await mail.addChannel([author]);
    const change = () => deactivate(author);
    const reply = await sendDuring(channel, change, () => send(author, channel));
    expect(reply).toMatchObject(deactivated);
    expect(await sentBy(author, channel)).toBe(0);
  });

  it('is refused if its sender leaves the group with the permission', async () => {
    const author = await mail.organisation.addPerson();
    const groupId = await mail.addGroup([author], { name: 'Writers' });
    const channel = await mail.addChannel([author], { canSendMessageId: groupId });
    const change = () => owner.api.post(`/user_groups/${groupId}/members`, { delete: [author.id] });
    const reply = await sendDuring(channel, change, () => send(author, channel));
    expect(reply).toMatchObject(mayNotSend(channel));
    expect(await sentBy(author, channel)).toBe(0);
  });

  it('is refused if its sender becomes a guest and is not subscribed', async () => {
    const author = await mail.organisation.addPerson();
    const channel = await mail.addChannel();
    const change = () => owner.api.patch(`/users/${author.id}`, { role: roles.guest });
    const reply = await sendDuring(channel, change, () => send(author, channel));
    expect(reply).toMatchObject(notThere);
    expect(await sentBy(author, channel)).toBe(0);
  });
});

describe('An edit that waits for another message', () => {
  it('is refused if its author is deactivated', async () => {
    const author = await mail.organisation.addPerson();
    const channel = await mail.addChannel([author]);
    const { body } = await send(author, channel);
    const edit = () => author.api.patch(`/messages/${String(body['id'])}`, { content: 'Bye' });
    const reply = await sendDuring(channel, () => deactivate(author), edit);
    expect(reply).toMatchObject(badRequest('Invalid message(s)'));
  });
});

describe('A move that waits for another message', () => {
  it('is refused if its author becomes a guest', async () => {
    const author = await mail.organisation.addPerson();
    const channel = await mail.addChannel([author]);
    const target = await mail.addChannel([author]);
    const { body } = await send(author, channel);
    const change = () => owner.api.patch(`/users/${author.id}`, { role: roles.guest });
    const move = () =>
      author.api.patch(`/messages/${String(body['id'])}`, { stream_id: target.id });
    const reply = await sendDuring(channel, change, move);
    expect(reply).toMatchObject(badRequest("You don't have permission to move this message"));
  });
});
