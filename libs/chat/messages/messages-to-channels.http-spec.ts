import { describe, expect, it } from '@jest/globals';
import { roles } from '#directory/roles';
import { badRequest } from '#test/answers';
import { useGateway } from '#test/start-gateway';
import { Correspondence, sendToChannel } from '#test/messages-organisation';
import { useFixture } from '#test/use-fixture';

const system = useGateway();
const mail = useFixture(() => Correspondence.in(system));
const member = useFixture(() => mail.organisation.addPerson());
const admin = useFixture(() => mail.organisation.addPerson({ role: roles.administrator }));
const guest = useFixture(() => mail.organisation.addPerson({ role: roles.guest }));

const success = {
  status: 200,
  body: {
    result: 'success',
    msg: '',
    id: expect.any(Number),
    message_url: expect.any(String),
    message_link: expect.any(String),
  },
};
const mayNotSend = ({ name }: { name: string }) =>
  badRequest(`Not authorized to send to channel '${name}'`);
const notThere = ({ id }: { id: number }) => ({
  status: 400,
  body: {
    result: 'error',
    code: 'STREAM_DOES_NOT_EXIST',
    msg: `Channel with ID '${id}' does not exist`,
    stream_id: id,
  },
});

const hello = { topic: 'lunch', content: 'Hello' };

describe('POST /messages', () => {
  it('returns the address of the message, and a link to it', async () => {
    const channel = await mail.addChannel([member]);
    const { body } = await sendToChannel(member, channel);
    const root = system.gatewayUrl.replace(
      '//127',
      `//${mail.organisation.host.split('.', 1)[0]}.127`,
    );
    const url = `${root}/#narrow/channel/${channel.id}-${channel.name.replaceAll(' ', '-')}/topic/lunch/near/${body['id']}`;
    expect(body).toMatchObject({
      message_url: url,
      message_link: `[#${channel.name} > lunch @ 💬](${url})`,
    });
    const to = JSON.stringify([admin.id]);
    const direct = await member.api.post('/messages', { type: 'direct', to, content: 'Hi' });
    const path = `/#narrow/dm/${member.id},${admin.id}-dm/near/${direct.body['id']}`;
    expect(direct.body).toMatchObject({ message_url: root + path, message_link: root + path });
  });

  it.each(['type', 'to', 'content'])('requires %s', async (name) => {
    const { [name]: _, ...fields }: Record<string, unknown> = { type: 'channel', to: 1, ...hello };
    expect(await member.api.post('/messages', fields)).toMatchObject({
      status: 400,
      body: { code: 'REQUEST_VARIABLE_MISSING', var_name: name },
    });
  });

  it.each([
    ['another type', { type: 'email' }, 'Invalid type'],
    ['an empty message', { content: '' }, 'Message must not be empty'],
    ['a blank message', { content: ' \n\t ' }, 'Message must not be empty'],
    ['a topic of two lines', { topic: 'one\ntwo' }, 'topic has invalid format'],
    ['a NUL', { content: 'a\0b' }, 'content has invalid format'],
    ['no boolean', { read_by_sender: 'maybe' }, 'read_by_sender is not valid JSON'],
    ['two channels', { to: [1, 2] }, 'A channel must be given by its ID or by its name'],
    ['no channel', { to: null }, 'A channel must be given by its ID or by its name'],
    ['part of a channel', { to: 1.5 }, 'A channel must be given by its ID or by its name'],
  ])('rejects %s', async (_what, fields, msg) => {
    const { id } = await mail.addChannel([member]);
    const given = { type: 'channel', to: id, ...hello, ...fields };
    expect(await member.api.post('/messages', given)).toMatchObject(badRequest(msg));
  });

  it('accepts 10000 characters and a topic of 60', async () => {
    const { id } = await mail.addChannel([member]);
    const fields = { type: 'channel', to: id };
    const content = '😀'.repeat(10_000);
    const topic = `  ${'😀'.repeat(60)}  `;
    const reply = await member.api.post('/messages', { ...fields, content, topic });
    expect(reply).toMatchObject(success);
    const stored = await system.database.database.prisma.message.findUnique({
      where: { id: Number(reply.body['id']) },
    });
    expect(stored).toMatchObject({ content, topic: topic.trim() });
  });

  it.each(['topic', 'subject'])('shortens a longer content and %s', async (name) => {
    const { id } = await mail.addChannel([member]);
    const reply = await member.api.post('/messages', {
      type: 'channel',
      to: id,
      content: '😀'.repeat(20_001),
      [name]: ` ${'😀'.repeat(61)} `,
    });
    expect(reply).toMatchObject(success);
    const stored = await system.database.database.prisma.message.findUnique({
      where: { id: Number(reply.body['id']) },
    });
    expect(stored).toMatchObject({
      content: `${'😀'.repeat(9980)}\n[message truncated]`,
      topic: `${'😀'.repeat(57)}...`,
    });
  });

  it('stores the content without the white space around it, with its HTML and the client', async () => {
    const { id } = await mail.addChannel([member]);
    const reply = await member.api.send('POST', '/messages', {
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        'user-agent': 'CarillonTest/1.2 (Linux)',
      },
      body: `type=stream&to=${id}&topic=lunch&content=%0A%0A%20**Soup**%20%0A`,
    });
    expect(reply).toMatchObject(success);
    const stored = await system.database.database.prisma.message.findUnique({
      where: { id: Number(reply.body['id']) },
    });
    expect(stored).toMatchObject({
      content: ' **Soup**',
      rendered: '<p><strong>Soup</strong></p>',
      client: 'CarillonTest',
      topic: 'lunch',
      senderId: member.id,
    });
  });

  it('replaces an unpaired surrogate by the replacement character', async () => {
    const { id } = await mail.addChannel([member]);
    const half = JSON.parse('"\\ud800"');
    const content = `${half} @**${half}** #**${half}** /user_uploads/1/${half}`;
    const reply = await member.api.send('POST', '/messages', {
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ type: 'channel', to: id, topic: half, content }),
    });
    expect(reply).toMatchObject(success);
    const stored = await system.database.database.prisma.message.findUnique({
      where: { id: Number(reply.body['id']) },
    });
    expect(stored).toMatchObject({ topic: '\uFFFD', content: content.replaceAll(half, '\uFFFD') });
  });

  it.each([
    ['the older name', { subject: 'older' }, 'older'],
    ['the current name, which takes precedence', { subject: 'older', topic: 'newer' }, 'newer'],
  ])('accepts a topic as %s', async (_what, given, topic) => {
    const { id: to } = await mail.addChannel([member]);
    const fields = { type: 'channel', to, content: 'Hello', ...given };
    const reply = await member.api.post('/messages', fields);
    expect(reply.body).toEqual(success.body);
    const where = { id: Number(reply.body['id']) };
    const stored = await system.database.database.prisma.message.findUnique({ where });
    expect(stored).toMatchObject({ topic });
  });

  it('accepts the parameters of local echo, and reports unsupported ones', async () => {
    const { id } = await mail.addChannel([member]);
    const echo = { queue_id: 'queue', local_id: '12.01' };
    const fields = { type: 'channel', to: id, ...hello, ...echo, widget_content: '{}' };
    const reply = await member.api.post('/messages', fields);
    expect(reply.body).toEqual({
      result: 'success',
      msg: '',
      id: expect.any(Number),
      message_url: expect.any(String),
      message_link: expect.any(String),
      ignored_parameters_unsupported: ['widget_content'],
    });
  });

  it.each<[string, (channel: { id: number; name: string }) => unknown]>([
    ['its id', ({ id }) => id],
    ['its id in a list', ({ id }) => [id]],
    ['its name as text', ({ name }) => name],
    ['its name as JSON', ({ name }) => JSON.stringify(name)],
    ['its name in a list', ({ name }) => [name]],
    ['its name in another case', ({ name }) => name.toUpperCase()],
  ])('finds a channel by %s', async (_what, toOf) => {
    const channel = await mail.addChannel([member]);
    for (const type of ['channel', 'stream']) {
      const fields = { type, to: toOf(channel), ...hello };
      expect(await member.api.post('/messages', fields)).toMatchObject(success);
    }
  });

  it.each([0, -1, 2_147_483_647, 2_147_483_648, 9e15])(
    'rejects the unknown channel %s',
    async (id) => {
      const fields = { type: 'channel', to: id, ...hello };
      expect(await member.api.post('/messages', fields)).toMatchObject(notThere({ id }));
    },
  );

  it.each(['nowhere', '"no\\u0000where"', '"\\ud800"'])(
    'rejects the unknown channel name %s',
    async (to) => {
      const name: unknown = to.startsWith('"') ? JSON.parse(to) : to;
      const { status, body } = await member.api.post('/messages', {
        type: 'channel',
        to,
        ...hello,
      });
      expect({ status, body }).toEqual({
        status: 400,
        body: {
          result: 'error',
          code: 'STREAM_DOES_NOT_EXIST',
          msg: `Channel '${String(name)}' does not exist`,
          stream: name,
        },
      });
    },
  );

  it("does not find another organisation's channel", async () => {
    const id = system.demo.channels['general'] ?? 0;
    const fields = { type: 'channel', to: id, ...hello };
    expect(await member.api.post('/messages', fields)).toMatchObject(notThere({ id }));
  });
});

describe('The senders of a channel', () => {
  it('include everyone for a public channel, but guests only as subscribers', async () => {
    const channel = await mail.addChannel([guest]);
    expect(await sendToChannel(member, channel)).toMatchObject(success);
    expect(await sendToChannel(guest, channel)).toMatchObject(success);
    const other = await mail.addChannel();
    expect(await sendToChannel(guest, other)).toMatchObject(notThere(other));
    const open = await mail.addChannel([], { isWebPublic: true });
    expect(await sendToChannel(member, open)).toMatchObject(success);
    expect(await sendToChannel(guest, open)).toMatchObject(mayNotSend(open));
  });

  it('include only subscribers for a private channel, which others cannot see', async () => {
    const channel = await mail.addChannel([member], { isPrivate: true });
    expect(await sendToChannel(member, channel)).toMatchObject(success);
    expect(await sendToChannel(guest, channel)).toMatchObject(notThere(channel));
    expect(await sendToChannel(admin, channel)).toMatchObject(mayNotSend(channel));
  });

  it('include accounts that may subscribe, or add subscribers, to a private channel', async () => {
    const few = await mail.addGroup([member]);
    for (const permission of ['canSubscribeId', 'canAddSubscribersId']) {
      const channel = await mail.addChannel([], { isPrivate: true, [permission]: few });
      expect(await sendToChannel(member, channel)).toMatchObject(success);
      expect(await sendToChannel(admin, channel)).toMatchObject(mayNotSend(channel));
    }
  });

  it('include the group with the permission', async () => {
    const few = await mail.addGroup([member]);
    const channel = await mail.addChannel([member, admin], { canSendMessageId: few });
    expect(await sendToChannel(member, channel)).toMatchObject(success);
    expect(await sendToChannel(admin, channel)).toMatchObject(mayNotSend(channel));
  });

  it('exclude everyone for an archived channel', async () => {
    const channel = await mail.addChannel([member], { archivedAt: new Date() });
    expect(await sendToChannel(member, channel)).toMatchObject(mayNotSend(channel));
  });

  it('include bots', async () => {
    const bot = await mail.organisation.addPerson({ isBot: true });
    expect(await sendToChannel(bot, await mail.addChannel())).toMatchObject(success);
  });
});

describe('The topic of a message', () => {
  it('can be new only for senders who may create topics', async () => {
    const few = await mail.addGroup([admin]);
    const channel = await mail.addChannel([member, admin], { canCreateTopicId: few });
    const refused = badRequest(`Not authorized to create new topics in channel '${channel.name}'`);
    expect(await sendToChannel(member, channel)).toMatchObject(refused);
    expect(await sendToChannel(admin, channel, 'Hello', 'Lunch')).toMatchObject(success);
    expect(await sendToChannel(member, channel, 'Hello', 'lunch')).toMatchObject(success);
    expect(await sendToChannel(member, channel, 'Hello', 'dinner')).toMatchObject(refused);
  });
});
