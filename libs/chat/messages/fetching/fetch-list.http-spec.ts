import { beforeAll, describe, expect, it } from '@jest/globals';
import { roles } from '#directory/roles';
import { countStatements } from '#test/count-statements';
import type { Person } from '#test/organisation';
import { useGateway } from '#test/start-gateway';
import { Correspondence, sendToChannel, sendToPeople } from '#test/messages-organisation';
import { useFixture } from '#test/use-fixture';

const NEWEST = 10_000_000_000_000_000;

const system = useGateway();
const mail = useFixture(() => Correspondence.in(system));
const ada = useFixture(() => mail.organisation.addPerson());
const ben = useFixture(() => mail.organisation.addPerson());
const cleo = useFixture(() => mail.organisation.addPerson());
const guest = useFixture(() => mail.organisation.addPerson({ role: roles.guest }));
let channel: { readonly id: number; readonly name: string };

beforeAll(async () => {
  channel = await mail.addChannel([ada, ben], { name: 'Kitchen' });
});

const around = { anchor: 'newest', num_before: 100, num_after: 0 };
const list = (who: Person, query = {}) => who.api.get('/messages', { ...around, ...query });
const idsOf = async (who: Person, narrow: unknown, query = {}) => {
  const { body } = await list(who, { narrow, ...query });
  return (body['messages'] as { id: number }[] | undefined)?.map(({ id }) => id) ?? body['msg'];
};
const idIn = async (reply: ReturnType<typeof sendToChannel>) => Number((await reply).body['id']);

describe('GET /messages', () => {
  it.each<[Record<string, unknown>, string]>([
    [{ num_before: 1 }, "Missing 'anchor' argument."],
    [{ anchor: 'x' }, 'Invalid anchor'],
    [{ anchor: 'date' }, "Missing 'anchor_date' argument."],
    [{ anchor: 'date', anchor_date: 'soon' }, 'Invalid anchor_date'],
    [{ anchor: 1, num_before: -1 }, 'num_before is too small'],
    [{ anchor: 1, num_after: 'x' }, 'num_after is not valid JSON'],
    [{ anchor: 1, num_before: 5000, num_after: 1 }, 'Too many messages requested (maximum 5000).'],
    [
      { anchor: 1, num_before: 1, num_after: 1, include_anchor: false },
      'The anchor can only be excluded at an end of the range',
    ],
    [
      { anchor: 1, message_ids: [1] },
      'Unsupported parameter combination: num_before, num_after, anchor, message_ids, include_anchor, use_first_unread_anchor',
    ],
    [{ anchor: 1, narrow: 'x' }, 'narrow is not valid JSON'],
    [{ anchor: 1, narrow: {} }, 'narrow is not a list'],
    [{ anchor: 1, narrow: [['is', 'x']] }, "Invalid narrow operator: unknown 'is' operand x"],
    [{ anchor: 1, narrow: [['channel', 'x']] }, 'Invalid narrow operator: unknown channel x'],
    [
      { anchor: 1, narrow: [{ operator: 'channel', operand: 0 }] },
      'Invalid narrow operator: unknown channel 0',
    ],
    [{ anchor: 1, narrow: [['sender', 'x@y']] }, 'Invalid narrow operator: unknown user x@y'],
    [
      { anchor: 1, narrow: [['dm', 'x@y, z@y']] },
      'Invalid narrow operator: unknown user in x@y, z@y',
    ],
    [
      { anchor: 1, narrow: [{ operator: 'dm', operand: [0, 1] }] },
      'Invalid narrow operator: unknown user in [0, 1]',
    ],
    [
      { anchor: 1, narrow: [{ operator: 'mentions', operand: 2_147_483_648 }] },
      'Invalid narrow operator: unknown user 2147483648',
    ],
    [
      {
        anchor: 1,
        narrow: [
          ['with', '1'],
          ['with', '2'],
        ],
      },
      "Invalid narrow operator combination: Duplicate 'with' operators.",
    ],
    [{ anchor: 1, narrow: [['with', '1']] }, "Invalid narrow operator: Invalid 'with' operator"],
  ])('refuses %j', async (query, msg) => {
    expect(await ada.api.get('/messages', query)).toMatchObject({ status: 400, body: { msg } });
  });

  it('returns a message as GET /messages/{id} does', async () => {
    const id = await idIn(sendToChannel(ada, channel, '**Soup**', '(no topic)'));
    const { body } = await list(ben, { anchor: id, num_before: 0 });
    expect(body).toEqual({
      result: 'success',
      msg: '',
      messages: [(await ben.api.get(`/messages/${id}`)).body['message']],
      anchor: id,
      found_anchor: true,
      found_oldest: false,
      found_newest: false,
      history_limited: false,
    });
    const options = { apply_markdown: false, allow_empty_topic_name: true, client_gravatar: false };
    expect((await list(ben, { anchor: id, num_before: 0, ...options })).body).toMatchObject({
      messages: [
        { content: '**Soup**', subject: '', avatar_url: expect.stringContaining('/avatar/') },
      ],
    });
  });

  it('starts at the first unread message that is not muted', async () => {
    const reader = await mail.organisation.addPerson();
    const loud = await mail.addChannel([ada, reader]);
    const muted = await mail.addChannel([ada, reader]);
    await system.database.database.prisma.subscription.update({
      where: { channelId_userId: { channelId: muted.id, userId: reader.id } },
      data: { isMuted: true },
    });
    const first = await idIn(sendToChannel(ada, muted));
    const [one, two] = [
      await idIn(sendToChannel(ada, loud)),
      await idIn(sendToPeople(ada, [reader])),
    ];
    const query = {
      anchor: 0,
      use_first_unread_anchor: true,
      num_before: 30,
      num_after: 10,
      narrow: [],
    };
    expect((await reader.api.get('/messages', query)).body).toMatchObject({
      anchor: one,
      found_anchor: true,
      messages: [{ id: first }, { id: one }, { id: two }],
    });
    const inMuted = { ...query, narrow: [['stream', muted.name]] };
    expect((await reader.api.get('/messages', inMuted)).body).toMatchObject({ anchor: first });
    await reader.api.post('/messages/flags', { messages: [one, two], op: 'add', flag: 'read' });
    expect((await reader.api.get('/messages', query)).body).toMatchObject({
      anchor: NEWEST,
      found_newest: true,
    });
  });

  it('starts at a date', async () => {
    const { prisma } = system.database.database;
    const place = await mail.addChannel([ada]);
    const ids: number[] = [];
    for (const sentAt of ['2020-01-01T00:00:00Z', '2020-01-02T00:00:00Z', '2020-01-03T00:00:00Z']) {
      const id = await idIn(sendToChannel(ada, place));
      await prisma.$executeRaw`UPDATE messages SET sent_at = ${new Date(sentAt)} WHERE id = ${id}`;
      ids.push(id);
    }
    const narrow = [{ operator: 'channel', operand: place.id }];
    const from = (anchor_date: string) => list(ada, { anchor: 'date', anchor_date, narrow });
    expect((await from('2020-01-01T23:00:00+00:00')).body).toMatchObject({ anchor: ids[1] });
    expect((await from('2020-01-03')).body).toMatchObject({ anchor: ids[2], found_anchor: true });
    expect((await from('2020-01-04T00:00:00Z')).body).toMatchObject({ anchor: NEWEST });
  });

  it('returns messages by their ids as far as the caller may read them', async () => {
    const before = await idIn(sendToChannel(ada, channel));
    const direct = await idIn(sendToPeople(ada, [ben]));
    const { body } = await cleo.api.get('/messages', { message_ids: [direct, before, 0, 2 ** 52] });
    expect(body).toMatchObject({
      messages: [{ id: before, flags: ['read', 'historical'] }],
      found_anchor: false,
      found_oldest: false,
      found_newest: false,
    });
    expect(body).not.toHaveProperty('anchor');
  });

  it('follows a conversation with the operator `with`', async () => {
    const place = await mail.addChannel([ada, ben]);
    const one = await idIn(sendToChannel(ada, place, 'Hello', 'old'));
    const two = await idIn(sendToChannel(ada, place, 'Hello', 'OLD'));
    const direct = await idIn(sendToPeople(ada, [ben]));
    const narrow = [
      ['channel', channel.name],
      ['topic', 'elsewhere'],
    ];
    expect(await idsOf(ben, [...narrow, ['with', String(one)]])).toEqual([one, two]);
    expect(await idsOf(ben, [{ operator: 'with', operand: direct }])).toContain(direct);
    expect(await idsOf(cleo, [...narrow, ['with', String(direct)]])).toEqual([]);
  });

  it('finds words by their stems, phrases as they are, and highlights them', async () => {
    const place = await mail.addChannel([ada, ben]);
    const content = 'The **cook** is cooking <soup> & salad in [soup](https://soup.example/soup)';
    const id = await idIn(sendToChannel(ada, place, content, 'Cooks & <pans>'));
    await sendToChannel(ada, place, 'salad', 'other');
    const found = async (...searches: string[]) =>
      idsOf(ben, [['channel', place.name], ...searches.map((text) => ['search', text])]);
    expect(await found('SALAD cooked')).toEqual([id]);
    expect(await found('the pan')).toEqual([id]);
    expect(await found('salad', 'soup')).toEqual([id]);
    expect(await found('"& salad in"')).toEqual([id]);
    expect(await found('"salad & in"')).toEqual([]);
    expect(await found('!!!')).toEqual([]);
    const { body } = await list(ben, {
      narrow: [
        ['channel', place.name],
        ['search', 'cook soup'],
      ],
    });
    const mark = (text: string) => `<span class="highlight">${text}</span>`;
    const [message] = body['messages'] as {
      match_content: string;
      match_subject: string;
      content: string;
    }[];
    expect(message?.match_subject).toBe(`${mark('Cooks')} &amp; &lt;pans&gt;`);
    expect(message?.match_content).toContain(
      `<strong>${mark('cook')}</strong> is ${mark('cooking')}`,
    );
    expect(message?.match_content).toContain('href="https://soup.example/soup"');
    expect(message?.match_content.replaceAll(/<span class="highlight">(\w+)<\/span>/g, '$1')).toBe(
      message?.content,
    );
  });

  it('hides names from limited guests with one statement', async () => {
    await system.database.database.prisma.realm.update({
      where: { id: mail.organisation.id },
      data: { canAccessAllUsersGroupId: await mail.addGroup([ada, ben, cleo]) },
    });
    const shared = await mail.addChannel([ada, guest]);
    const web = await mail.addChannel([], { isWebPublic: true });
    await sendToChannel(ada, shared);
    await sendToChannel(ben, web);
    const narrow = [['channel', web.name]];
    expect((await list(guest, { narrow })).body).toMatchObject({
      messages: [{ sender_id: ben.id, sender_full_name: 'Unknown user' }],
    });
    expect((await list(guest)).body).toMatchObject({ messages: [{ sender_email: ada.email }] });
    const hidden = `user${ben.id}@${mail.organisation.host}`;
    expect(await idsOf(guest, [...narrow, ['sender', hidden]])).toHaveLength(1);
    expect(await idsOf(guest, [...narrow, ['sender', ben.email]])).toBe(
      `Invalid narrow operator: unknown user ${ben.email}`,
    );
  });

  it('answers as for an unknown channel if the caller may not see the channel', async () => {
    const hidden = await mail.addChannel([ada], { isPrivate: true });
    await sendToChannel(ada, hidden);
    expect(await idsOf(cleo, [['channel', hidden.name]])).toBe(
      `Invalid narrow operator: unknown channel ${hidden.name}`,
    );
    const admin = await mail.organisation.addPerson({ role: roles.administrator });
    expect(await idsOf(admin, [['channel', hidden.name.toUpperCase()]])).toEqual([]);
    const foreign = system.demo.channels['general'];
    expect(await idsOf(admin, [{ operator: 'channel', operand: foreign }])).toBe(
      `Invalid narrow operator: unknown channel ${foreign}`,
    );
  });

  it('takes as many statements for many messages as for one', async () => {
    const place = await mail.addChannel([ada, ben, guest]);
    const narrow = [
      ['channel', place.name],
      ['search', 'hello'],
    ];
    await sendToChannel(ada, place);
    const cost = (who: Person) => countStatements(() => list(who, { narrow }));
    await list(ben, { narrow });
    await list(guest, { narrow });
    const [forOne, forOneOfGuest] = [await cost(ben), await cost(guest)];
    for (let count = 0; count < 10; count += 1) await sendToChannel(count % 2 ? ada : ben, place);
    expect(await cost(ben)).toBe(forOne);
    expect(await cost(guest)).toBe(forOneOfGuest);
    // The matches are marked in a transaction of their own, with a time limit.
    expect(forOne).toBeLessThanOrEqual(11);
    expect(await countStatements(() => list(ben))).toBeLessThanOrEqual(6);
  });
});

describe('GET /messages/matches_narrow', () => {
  it('returns the messages in the narrow with their matches', async () => {
    const place = await mail.addChannel([ada, ben]);
    const one = await idIn(sendToChannel(ada, place, 'soup', 'a & b'));
    const two = await idIn(sendToChannel(ada, place, 'salad', 'c'));
    const match = async (narrow: unknown) =>
      (await ben.api.get('/messages/matches_narrow', { msg_ids: [one, two, 0], narrow })).body;
    expect(await match([['search', 'soup']])).toMatchObject({
      messages: {
        [one]: {
          match_content: '<p><span class="highlight">soup</span></p>',
          match_subject: 'a &amp; b',
        },
      },
    });
    expect(await match([['topic', 'C']])).toEqual({
      result: 'success',
      msg: '',
      messages: { [two]: { match_content: '<p>salad</p>', match_subject: 'c' } },
    });
    expect(await match([['is', 'starred']])).toMatchObject({ messages: {} });
  });
});

describe('GET /messages while a lock blocks the messages', () => {
  it.each([
    ['a channel', () => [['channel', channel.name]]],
    ['a search', () => [['search', 'bread']]],
  ])('is temporarily unavailable, for %s', async (_what, narrow) => {
    const reply = await system.database.database.transaction(async (transaction) => {
      await transaction.query('lock_messages', 'LOCK TABLE messages IN ACCESS EXCLUSIVE MODE');
      return list(ada, { narrow: narrow() });
    });
    expect(reply).toMatchObject({ status: 503, body: { code: 'SERVICE_UNAVAILABLE' } });
  });
});
