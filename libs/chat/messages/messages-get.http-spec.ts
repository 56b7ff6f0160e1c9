import { describe, expect, it } from '@jest/globals';
import { roles } from '#directory/roles';
import { countStatements } from '#test/count-statements';
import type { Person } from '#test/organisation';
import { useGateway } from '#test/start-gateway';
import { Correspondence, sendToChannel, sendToPeople } from '#test/messages-organisation';
import { useFixture } from '#test/use-fixture';

const system = useGateway();
const mail = useFixture(() => Correspondence.in(system));
const sender = useFixture(() => mail.organisation.addPerson({ fullName: 'Sven Sender' }));
const reader = useFixture(() => mail.organisation.addPerson({ fullName: 'Rita Reader' }));
const newcomer = useFixture(() => mail.organisation.addPerson());
const admin = useFixture(() => mail.organisation.addPerson({ role: roles.administrator }));
const guest = useFixture(() => mail.organisation.addPerson({ role: roles.guest }));

const get = (who: Person, id: unknown, query = {}) => who.api.get(`/messages/${String(id)}`, query);

const refused = { status: 400, body: { code: 'BAD_REQUEST', msg: 'Invalid message(s)' } };

describe('GET /messages/{message_id}', () => {
  it.each([0, 2_147_483_648, Number.MAX_SAFE_INTEGER, 2 ** 53])(
    'rejects the unknown message %s',
    async (id) => {
      expect(await get(reader, id)).toMatchObject(refused);
    },
  );

  it('rejects a value that is no boolean', async () => {
    expect(await get(reader, 1, { apply_markdown: 'yes' })).toMatchObject({
      status: 400,
      body: { msg: 'apply_markdown is not valid JSON' },
    });
  });

  it('returns a message of a channel', async () => {
    const channel = await mail.addChannel([sender, reader]);
    const { body: sent } = await sendToChannel(
      sender,
      channel,
      '**Soup** @**Rita Reader** @**all**',
    );
    const { status, body } = await get(reader, sent['id']);
    const content = expect.stringMatching(/^<p><strong>Soup<\/strong> <span class="user-mention"/);
    expect({ status, body }).toEqual({
      status: 200,
      body: {
        result: 'success',
        msg: '',
        raw_content: '**Soup** @**Rita Reader** @**all**',
        message: {
          id: sent['id'],
          type: 'stream',
          sender_id: sender.id,
          sender_email: sender.email,
          sender_full_name: 'Sven Sender',
          sender_realm_str: mail.organisation.host.split('.')[0],
          client: '',
          content,
          content_type: 'text/html',
          timestamp: expect.any(Number),
          subject: 'lunch',
          topic_links: [],
          stream_id: channel.id,
          display_recipient: channel.name,
          recipient_id: expect.any(Number),
          is_me_message: false,
          reactions: [],
          submessages: [],
          avatar_url: null,
          flags: ['mentioned', 'stream_wildcard_mentioned', 'wildcard_mentioned'],
        },
      },
    });
  });

  it('returns a direct message, as Markdown on request', async () => {
    const { body: sent } = await sendToPeople(sender, [reader], '/me **waves**');
    const query = { apply_markdown: false, allow_empty_topic_name: true, zoom: 1 };
    const { body } = await get(sender, sent['id'], query);
    expect(body).toMatchObject({
      raw_content: '/me **waves**',
      ignored_parameters_unsupported: ['zoom'],
      message: {
        type: 'private',
        content: '/me **waves**',
        content_type: 'text/x-markdown',
        subject: '',
        is_me_message: true,
        flags: ['read'],
      },
    });
    expect(Object(body['message']).display_recipient).toEqual([
      { id: sender.id, email: sender.email, full_name: 'Sven Sender', is_mirror_dummy: false },
      { id: reader.id, email: reader.email, full_name: 'Rita Reader', is_mirror_dummy: false },
    ]);
    expect(body['message']).not.toHaveProperty('stream_id');
  });

  it('takes one statement, and three for the channel and the links of the topic', async () => {
    const channel = await mail.addChannel([sender, reader]);
    const { body: sent } = await sendToChannel(sender, channel);
    const { body: direct } = await sendToPeople(sender, [reader]);
    await get(reader, sent['id']);
    expect(await countStatements(() => get(reader, sent['id']))).toBe(4);
    expect(await countStatements(() => get(reader, direct['id']))).toBe(1);
  });

  it('renders a message that was stored without HTML', async () => {
    const id = system.demo.messages['general_1'];
    expect((await system.api('alice').get(`/messages/${id}`)).body).toMatchObject({
      raw_content: 'Good morning! The new build for the phones is out.',
      message: {
        content: '<p>Good morning! The new build for the phones is out.</p>',
        sender_realm_str: '',
        flags: [],
      },
    });
  });

  it('returns the same recipient id for all messages of a place, and a different one for each place', async () => {
    const channels = [await mail.addChannel([sender]), await mail.addChannel([sender])];
    const sent = [
      ...(await Promise.all(
        channels.flatMap((to) => [sendToChannel(sender, to), sendToChannel(sender, to)]),
      )),
      await sendToPeople(sender, [reader]),
      await sendToPeople(reader, [sender]),
    ];
    const ids: unknown[] = [];
    for (const { body } of sent) {
      const { message } = (await get(sender, body['id'])).body;
      ids.push(Object(message).recipient_id);
    }
    expect(ids[0]).toBe(ids[1]);
    expect(ids[2]).toBe(ids[3]);
    expect(ids[4]).toBe(ids[5]);
    expect(new Set(ids).size).toBe(3);
  });
});

describe('The readers of a message', () => {
  const readable = { status: 200 };
  const historical = { status: 200, body: { message: { flags: ['read', 'historical'] } } };

  it.each<[string, object, object]>([
    ['a public channel', {}, { admin: historical, newcomer: historical, guest: refused }],
    [
      'a web-public channel',
      { isWebPublic: true },
      { admin: historical, newcomer: historical, guest: historical },
    ],
    [
      'an archived channel',
      { archivedAt: new Date() },
      { admin: historical, newcomer: historical, guest: refused },
    ],
    [
      'a private channel',
      { isPrivate: true },
      { admin: refused, newcomer: refused, guest: refused },
    ],
    [
      'a private channel that shows its history',
      { isPrivate: true, isHistoryPublic: true },
      { admin: refused, newcomer: refused, guest: refused },
    ],
  ])('of %s', async (_what, traits, expected) => {
    const channel = await mail.addChannel([sender, reader]);
    const { body } = await sendToChannel(sender, channel);
    const data = traits;
    await system.database.database.prisma.channel.update({ where: { id: channel.id }, data });
    expect(await get(reader, body['id'])).toMatchObject(readable);
    const replies = {
      admin: await get(admin, body['id']),
      newcomer: await get(newcomer, body['id']),
      guest: await get(guest, body['id']),
    };
    expect(replies).toMatchObject(expected);
  });

  it.each([
    [undefined, refused],
    [false, refused],
    [true, historical],
  ])(
    'include new subscribers of a private channel with public history: %s',
    async (isHistoryPublic, expected) => {
      const traits = { isPrivate: true, ...(isHistoryPublic !== undefined && { isHistoryPublic }) };
      const channel = await mail.addChannel([sender], traits);
      const { body: before } = await sendToChannel(sender, channel);
      await system.database.database.prisma.subscription.createMany({
        data: [newcomer, guest].map(({ id }) => ({ channelId: channel.id, userId: id })),
      });
      const { body: after } = await sendToChannel(sender, channel);
      for (const person of [newcomer, guest]) {
        expect(await get(person, before['id'])).toMatchObject(expected);
        expect(await get(person, after['id'])).toMatchObject(readable);
      }
    },
  );

  it('include holders of a permission of a private channel that shows its history', async () => {
    const canSubscribeId = await mail.addGroup([newcomer]);
    const traits = { isPrivate: true, isHistoryPublic: true, canSubscribeId };
    const channel = await mail.addChannel([sender], traits);
    const { body } = await sendToChannel(sender, channel);
    const id = Number(body['id']);
    expect(await get(newcomer, id)).toMatchObject(historical);
    expect(await get(admin, id)).toMatchObject(refused);
    expect(await newcomer.api.get(`/messages/${id}/read_receipts`)).toMatchObject(readable);
    const emoji = { emoji_name: 'tada' };
    expect(await newcomer.api.post(`/messages/${id}/reactions`, emoji)).toMatchObject(readable);
    expect(await sendToChannel(newcomer, channel)).toMatchObject(readable);
  });

  it('exclude former subscribers of a private channel', async () => {
    const channel = await mail.addChannel([sender, reader], { isPrivate: true });
    const { body } = await sendToChannel(sender, channel);
    await system.database.database.prisma.subscription.updateMany({
      where: { channelId: channel.id, userId: reader.id },
      data: { isActive: false },
    });
    expect(await get(reader, body['id'])).toMatchObject(refused);
  });

  it('include the members of a conversation, and no administrator', async () => {
    const { body } = await sendToPeople(sender, [reader]);
    expect(await get(reader, body['id'])).toMatchObject(readable);
    for (const person of [admin, newcomer, guest]) {
      expect(await get(person, body['id'])).toMatchObject(refused);
    }
  });

  it('exclude members of other organisations', async () => {
    const channel = await mail.addChannel([sender], { isWebPublic: true });
    const { body } = await sendToChannel(sender, channel);
    expect(await system.api('owner').get(`/messages/${String(body['id'])}`)).toMatchObject(refused);
  });
});

describe('A message of a user whom a guest cannot see', () => {
  /** A message as a guest sees it, from a member who has left their common channel. */
  async function fetchedByGuest(isLimited: boolean) {
    const limited = await Correspondence.in(system);
    const { prisma } = system.database.database;
    const { id: realmId } = limited.organisation;
    const [stranger] = await limited.organisation.addPeople(1);
    const visitor = await limited.organisation.addPerson({ role: roles.guest });
    if (stranger === undefined) throw new Error('Nobody was added');
    const channel = await limited.addChannel([stranger, visitor]);
    const { body: sent } = await sendToChannel(stranger, channel);
    await prisma.subscription.updateMany({
      where: { channelId: channel.id, userId: stranger.id },
      data: { isActive: false },
    });
    const members = await prisma.userGroup.findFirstOrThrow({
      where: { realmId, name: 'role:members' },
    });
    if (isLimited) {
      const data = { canAccessAllUsersGroupId: members.id };
      await prisma.realm.update({ where: { id: realmId }, data });
    }
    const { body } = await get(visitor, sent['id']);
    return { limited, stranger, visitor, channel, message: body['message'] };
  }

  it('has the same substitute identity as notifications', async () => {
    const { limited, stranger, message } = await fetchedByGuest(true);
    expect(message).toMatchObject({
      sender_id: stranger.id,
      sender_email: `user${stranger.id}@${limited.organisation.host}`,
      sender_full_name: 'Unknown user',
    });
  });

  it('has the real identity once both share a conversation', async () => {
    const { stranger, visitor } = await fetchedByGuest(true);
    const { body: sent } = await sendToPeople(stranger, [visitor]);
    const { body } = await get(visitor, sent['id']);
    expect(body['message']).toMatchObject({
      sender_email: stranger.email,
      display_recipient: [{ email: stranger.email }, { email: visitor.email }],
    });
  });

  it('has the real identity if the organisation does not limit guests', async () => {
    const { stranger, message } = await fetchedByGuest(false);
    expect(message).toMatchObject({ sender_email: stranger.email, sender_full_name: 'Person 1' });
  });
});
