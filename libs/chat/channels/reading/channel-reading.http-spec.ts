import { describe, expect, it } from '@jest/globals';
import { roles } from '#directory/roles';
import { badRequest } from '#test/answers';
import { Correspondence, sendToChannel } from '#test/messages-organisation';
import type { Person } from '#test/organisation';
import { useGateway } from '#test/start-gateway';
import { useFixture } from '#test/use-fixture';

const system = useGateway();
const mail = useFixture(() => Correspondence.in(system));
const member = useFixture(() => mail.organisation.addPerson());
const other = useFixture(() => mail.organisation.addPerson());
const guest = useFixture(() => mail.organisation.addPerson({ role: roles.guest }));

const invalidChannel = badRequest('Invalid channel ID');

describe('A channel that the caller cannot see', () => {
  it.each(['/streams/{id}', '/streams/{id}/members', '/streams/{id}/email_address'])(
    'is unknown to GET %s',
    async (path) => {
      const hidden = await mail.addChannel([other], { isPrivate: true });
      const open = await mail.addChannel([other]);
      const get = ({ api }: Person, id: number) => api.get(path.replace('{id}', String(id)));
      expect(await get(member, hidden.id)).toMatchObject(invalidChannel);
      expect(await get(guest, open.id)).toMatchObject(invalidChannel);
      expect(await get(member, 2_000_000_000)).toMatchObject(invalidChannel);
      expect(await get(member, open.id)).toMatchObject({ status: 200 });
      expect(await get(other, hidden.id)).toMatchObject({ status: 200 });
    },
  );

  it('has no id, no topics and no subscription', async () => {
    const hidden = await mail.addChannel([other], { isPrivate: true });
    expect(await member.api.get('/get_stream_id', { stream: hidden.name })).toMatchObject(
      badRequest(`Invalid channel name '${hidden.name}'`),
    );
    expect(await member.api.get(`/users/me/${hidden.id}/topics`)).toMatchObject(invalidChannel);
    expect(await member.api.get(`/users/${other.id}/subscriptions/${hidden.id}`)).toMatchObject(
      invalidChannel,
    );
  });
});

describe('A single channel', () => {
  it('has the members of the list of channels', async () => {
    const { id, name } = await mail.addChannel([member]);
    const { body } = await member.api.get('/streams');
    const listed = (body['streams'] as { stream_id: number }[]).find((one) => one.stream_id === id);
    const reply = await member.api.get(`/streams/${id}`);
    expect(reply.body['stream']).toEqual(listed);
    const found = await member.api.get('/get_stream_id', { stream: name.toUpperCase() });
    expect(found.body).toMatchObject({ stream_id: id });
    const address = await member.api.get(`/streams/${id}/email_address`);
    expect(address.body).toMatchObject({ email: '' });
  });

  it('lists the channels of an account that the caller may see', async () => {
    const bot = await mail.organisation.addPerson({ isBot: true });
    const open = await mail.addChannel([bot, member]);
    const hidden = await mail.addChannel([bot], { isPrivate: true });
    const archived = await mail.addChannel([bot], { archivedAt: new Date() });
    const listed = async ({ api }: Person) =>
      (await api.get(`/users/${bot.id}/channels`)).body['subscribed_channel_ids'];
    expect(await listed(member)).toEqual([open.id]);
    expect(await listed(bot)).toEqual([open.id, hidden.id]);
    const subscription = await member.api.get(`/users/${bot.id}/subscriptions/${open.id}`);
    expect(subscription.body).toMatchObject({ is_subscribed: true });
    expect(archived.id).toBeGreaterThan(hidden.id);
    expect(await member.api.get('/users/2147483647/channels')).toMatchObject(
      badRequest('No such user'),
    );
  });

  it('lists its active subscribers', async () => {
    const gone = await mail.organisation.addPerson({ isActive: false });
    const { id } = await mail.addChannel([gone, member, guest]);
    const reply = await other.api.get(`/streams/${id}/members`);
    expect(reply.body['subscribers']).toEqual([member.id, guest.id]);
    const isSubscribed = async (userId: number) => {
      const { body } = await member.api.get(`/users/${userId}/subscriptions/${id}`);
      return body['is_subscribed'];
    };
    expect(await isSubscribed(member.id)).toBe(true);
    expect(await isSubscribed(other.id)).toBe(false);
    expect(await isSubscribed(gone.id)).toBe(false);
    expect(await member.api.get(`/users/2000000000/subscriptions/${id}`)).toMatchObject(
      badRequest('No such user'),
    );
  });
});

describe('The topics of a channel', () => {
  const topicsFor = async ({ api }: Person, id: number, query = {}) => {
    const { status, body } = await api.get(`/users/me/${id}/topics`, query);
    expect(status).toBe(200);
    return (body['topics'] as { name: string; max_id: number }[]).map((one) => [
      one.name,
      one.max_id,
    ]);
  };
  const send = async (channel: { id: number }, topic: string) =>
    (await sendToChannel(member, channel, 'Hello', topic)).body['id'];

  it('are listed newest first, once for each name whatever its case', async () => {
    const channel = await mail.addChannel([member]);
    expect(await topicsFor(member, channel.id)).toEqual([]);
    await send(channel, 'lunch');
    const dinner = await send(channel, 'dinner');
    const lunch = await send(channel, 'LUNCH');
    const empty = await send(channel, '');
    const rest = [
      ['LUNCH', lunch],
      ['dinner', dinner],
    ];
    expect(await topicsFor(other, channel.id)).toEqual([['general chat', empty], ...rest]);
    expect(await topicsFor(other, channel.id, { allow_empty_topic_name: true })).toEqual([
      ['', empty],
      ...rest,
    ]);
  });

  it('and the channel stay where they are when it is archived', async () => {
    const channel = await mail.addChannel([member]);
    const lunch = await send(channel, 'lunch');
    await system.database.database.prisma.channel.update({
      where: { id: channel.id },
      data: { archivedAt: new Date() },
    });
    const { body } = await other.api.get(`/streams/${channel.id}`);
    expect(body['stream']).toMatchObject({ stream_id: channel.id, is_archived: true });
    expect(await topicsFor(other, channel.id)).toEqual([['lunch', lunch]]);
    const { body: members } = await other.api.get(`/streams/${channel.id}/members`);
    expect(members['subscribers']).toEqual([member.id]);
  });

  it('are those of the received messages where the history is hidden', async () => {
    const channel = await mail.addChannel([member], { isPrivate: true });
    await send(channel, 'before');
    const old = await send(channel, 'both');
    await system.database.database.prisma.subscription.create({
      data: { channelId: channel.id, userId: other.id },
    });
    expect(await topicsFor(other, channel.id)).toEqual([]);
    const both = await send(channel, 'Both');
    expect(await topicsFor(other, channel.id)).toEqual([['Both', both]]);
    expect(await topicsFor(member, channel.id)).toEqual([
      ['Both', both],
      ['before', Number(old) - 1],
    ]);
  });
});
