import { describe, expect, it } from '@jest/globals';
import { badRequest, idOf, success } from '#test/answers';
import type { Person } from '#test/organisation';
import { useGateway } from '#test/start-gateway';
import { sendToChannel, sendToPeople } from '#test/messages-organisation';
import { addModeratedOrganisation } from '#test/moderation-organisation';
import { useFixture } from '#test/use-fixture';

const system = useGateway();
const moderated = useFixture(() => addModeratedOrganisation(system));

const report = (person: Person, messageId: number, fields: Record<string, unknown> = {}) =>
  person.api.post(`/messages/${messageId}/report`, { report_type: 'spam', ...fields });

/** A message that Bob sent to a channel that Alice reads. */
async function addIncident(content = 'Buy now!') {
  const [alice, bob] = [await moderated.addPerson('Alice'), await moderated.addPerson('Bob')];
  const channel = await moderated.correspondence.addChannel([alice, bob]);
  const messageId = idOf(await sendToChannel(bob, channel, content));
  return { alice, bob, channel, messageId };
}

const lastReport = async () => (await moderated.reports()).at(-1);
const invalidMessage = badRequest('Invalid message(s)');

describe('POST /messages/{message_id}/report', () => {
  it('requires a type', async () => {
    const { alice, messageId } = await addIncident();
    expect(await alice.api.post(`/messages/${messageId}/report`)).toMatchObject({
      status: 400,
      body: { code: 'REQUEST_VARIABLE_MISSING', var_name: 'report_type' },
    });
  });

  it.each(['', 'Spam', 'theft', 'constructor'])('rejects the type "%s"', async (type) => {
    const { alice, messageId } = await addIncident();
    expect(await report(alice, messageId, { report_type: type })).toMatchObject(
      badRequest('Invalid report_type: Value error, Not in the list of possible values'),
    );
  });

  it.each([
    ['a path without a number', 404, '/messages/x/report'],
    ['an unknown id', 400, '/messages/99999999999/report'],
  ])('rejects %s', async (_what, status, path) => {
    expect(await system.api('alice').post(path, { report_type: 'spam' })).toMatchObject({ status });
  });

  it('sends a report to the moderators and a confirmation to the reporter', async () => {
    const { alice, bob, channel, messageId } = await addIncident();
    const reply = await report(alice, messageId, { description: 'Again!', why: 'x' });
    expect(reply.status).toBe(200);
    expect(reply.body).toEqual({
      result: 'success',
      msg: '',
      ignored_parameters_unsupported: ['why'],
    });
    const post = await lastReport();
    expect(post).toMatchObject({ topic: 'Bob moderation', sender: 'Notification Bot' });
    expect(post?.content.replace(/<time:[^>]*>/, '<time>')).toBe(
      [
        `@_**Alice|${alice.id}** reported a message sent by @_**Bob|${bob.id}** at <time>.`,
        '```quote\n**Spam**. Again!\n```',
        `\`\`\`\`spoiler Original message at #**${channel.name}>lunch@${messageId}**`,
        '```quote\nBuy now!\n```\n````',
      ].join('\n'),
    );
    const name = channel.name.replace(' ', '-');
    const path = `/#narrow/channel/${channel.id}-${name}/topic/lunch/near/${messageId}`;
    expect(await moderated.directMessagesTo(alice)).toEqual([
      {
        topic: '',
        content: `You reported [a message](${path}) for spam.`,
        sender: 'Notification Bot',
      },
    ]);
    expect(await moderated.directMessagesTo(bob)).toEqual([]);
  });

  it('links a message with the empty topic by the name of the topic', async () => {
    const { alice, bob, channel } = await addIncident();
    const id = idOf(await sendToChannel(bob, channel, 'Buy now!', ''));
    expect(await report(alice, id)).toMatchObject(success);
    const where = { channelId: moderated.moderators.id };
    const post = await system.database.database.prisma.message.findFirst({
      where,
      orderBy: { id: 'desc' },
    });
    expect(post?.content).toContain(`#**${channel.name}>@${id}**`);
    expect(post?.rendered).toContain(`/topic//near/${id}"`);
    expect(post?.rendered).toContain(`#${channel.name} &gt; <em>general chat</em> @ 💬</a>`);
  });

  it.each(['spam', 'harassment', 'inappropriate', 'norms'])(
    'requires no description for %s',
    async (type) => {
      const { alice, messageId } = await addIncident();
      expect(await report(alice, messageId, { report_type: type })).toMatchObject(success);
    },
  );

  it('requires a description for the type "other"', async () => {
    const { alice, messageId } = await addIncident();
    const before = await moderated.reports();
    for (const fields of [{}, { description: '' }, { description: ' \n ' }]) {
      expect(await report(alice, messageId, { report_type: 'other', ...fields })).toMatchObject(
        badRequest('An explanation is required.'),
      );
    }
    expect(await moderated.reports()).toEqual(before);
    const explained = { report_type: 'other', description: 'It rhymes.' };
    expect(await report(alice, messageId, explained)).toMatchObject(success);
  });

  it('accepts a description of at most 1000 characters, counted as code points', async () => {
    const { alice, messageId } = await addIncident();
    const description = '🎉'.repeat(1000);
    expect(await report(alice, messageId, { description })).toMatchObject(success);
    expect((await lastReport())?.content).toContain(description);
    expect(await report(alice, messageId, { description: `${description}x` })).toMatchObject(
      badRequest('description is too long (limit: 1000 characters)'),
    );
  });

  it('accepts guests, bots, own messages and repeated reports', async () => {
    const { alice, bob, channel, messageId } = await addIncident();
    const { prisma } = system.database.database;
    await prisma.user.update({ where: { id: alice.id }, data: { role: 600 } });
    const bot = await moderated.organisation.addPerson({ isBot: true });
    await prisma.subscription.create({ data: { channelId: channel.id, userId: bot.id } });
    for (const person of [alice, bot, bob, bob]) {
      expect(await report(person, messageId)).toMatchObject(success);
    }
    expect(await moderated.directMessagesTo(bob)).toHaveLength(2);
  });

  it('accepts messages of public channels without a subscription', async () => {
    const { messageId } = await addIncident();
    const stranger = await moderated.addPerson('Carol');
    expect(await report(stranger, messageId)).toMatchObject(success);
  });

  it('rejects messages that the reporter cannot read', async () => {
    const [alice, bob] = [await moderated.addPerson('Alice'), await moderated.addPerson('Bob')];
    const channel = await moderated.correspondence.addChannel([bob], { isPrivate: true });
    const hidden = [
      idOf(await sendToChannel(bob, channel)),
      idOf(await sendToPeople(bob, [bob])),
      2_147_483_647,
      system.demo.messages['general_1'] ?? 0,
    ];
    for (const id of hidden) {
      expect(await report(alice, id)).toMatchObject(invalidMessage);
    }
    expect(await moderated.directMessagesTo(alice)).toEqual([]);
  });

  it('lists the recipients of a direct message', async () => {
    // In turn: the address of a conversation lists its members by id.
    const reporter = await moderated.addPerson('Alice');
    const author = await moderated.addPerson('Bob');
    const people = [reporter, author, await moderated.addPerson('Carol')];
    const [alice, bob, carol] = people.map(({ id }) => id);
    const pair = idOf(await sendToPeople(author, [reporter]));
    expect(await report(reporter, pair)).toMatchObject(success);
    expect((await lastReport())?.content).toContain(`sent by @_**Bob|${bob}** at <time:`);
    expect((await lastReport())?.content).toContain(
      `spoiler [Original message](/#narrow/dm/${alice},${bob}-dm/near/${pair})`,
    );
    const group = idOf(await sendToPeople(author, people));
    expect(await report(reporter, group)).toMatchObject(success);
    expect((await lastReport())?.content).toContain(
      `sent by @_**Bob|${bob}** to @_**Alice|${alice}** and @_**Carol|${carol}** at <time:`,
    );
  });

  it('notifies nobody that the message or the description mentions', async () => {
    const { alice, channel, messageId } = await addIncident('@**all** @**Witness** `x` ```');
    const witness = await moderated.addPerson('Witness');
    const { prisma } = system.database.database;
    await prisma.subscription.createMany({
      data: [witness, alice].map(({ id }) => ({ channelId: moderated.moderators.id, userId: id })),
    });
    expect(channel.id).not.toBe(moderated.moderators.id);
    const description = '```\n@**Witness** @**all**';
    expect(await report(alice, messageId, { description })).toMatchObject(success);
    const { id, content } = await prisma.message.findFirstOrThrow({
      where: { channelId: moderated.moderators.id },
      orderBy: { id: 'desc' },
    });
    expect(content).toContain('@**all** @**Witness** `x` ```');
    const received = await moderated.correspondence.received(id);
    expect([...received.keys()].toSorted((one, other) => one - other)).toEqual(
      [alice.id, witness.id].toSorted((one, other) => one - other),
    );
    for (const { isMentioned, isWildcardMentioned } of received.values()) {
      expect({ isMentioned, isWildcardMentioned }).toEqual({
        isMentioned: false,
        isWildcardMentioned: false,
      });
    }
  });

  it('truncates a long message, and a long name in the topic', async () => {
    const alice = await moderated.addPerson('Alice');
    const author = await moderated.addPerson('🎉'.repeat(100));
    const channel = await moderated.correspondence.addChannel([author]);
    const messageId = idOf(await sendToChannel(author, channel, '🎉'.repeat(10_000)));
    expect(await report(alice, messageId)).toMatchObject(success);
    const { topic = '', content = '' } = (await lastReport()) ?? {};
    expect(topic).toBe(`${'🎉'.repeat(49)} moderation`);
    expect([...content]).toHaveLength(10_000);
    expect(content).toMatch(/\n\[message truncated\]\n```\n````$/);
  });

  it('accepts two concurrent reports', async () => {
    const { alice, bob, messageId } = await addIncident();
    const replies = await Promise.all([report(alice, messageId), report(bob, messageId)]);
    for (const reply of replies) expect(reply).toMatchObject(success);
    expect(await moderated.directMessagesTo(alice)).toHaveLength(1);
    expect(await moderated.directMessagesTo(bob)).toHaveLength(1);
  });
});

describe('when a message cannot be stored', () => {
  const failing = (condition: string) => [
    `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE ''no''; END'`,
    `CREATE TRIGGER refusing BEFORE INSERT ON messages FOR EACH ROW WHEN (${condition})
     EXECUTE FUNCTION refuse()`,
  ];

  async function whileRefused(condition: string, work: () => Promise<void>): Promise<void> {
    const { prisma } = system.database.database;
    for (const statement of failing(condition)) await prisma.$executeRawUnsafe(statement);
    try {
      await work();
    } finally {
      await prisma.$executeRawUnsafe('DROP FUNCTION refuse CASCADE');
    }
  }

  it('sends no confirmation of an undelivered report', async () => {
    const { alice, messageId } = await addIncident();
    await whileRefused(`NEW.channel_id = ${moderated.moderators.id}`, async () => {
      expect(await report(alice, messageId)).toMatchObject(
        badRequest('Failed to send the message report.'),
      );
    });
    expect(await moderated.directMessagesTo(alice)).toEqual([]);
  });

  it('succeeds if only the confirmation fails', async () => {
    const { alice, messageId } = await addIncident();
    await whileRefused('NEW.conversation_id IS NOT NULL', async () => {
      expect(await report(alice, messageId)).toMatchObject(success);
    });
    expect(await lastReport()).toMatchObject({
      content: expect.stringContaining(`|${alice.id}**`),
    });
  });
});
