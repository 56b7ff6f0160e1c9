import { describe, expect, it } from '@jest/globals';
import { EventRepository, type LoggedEvent } from '#events/log';
import { roles } from '#directory/roles';
import { countStatements } from '#test/count-statements';
import { Correspondence, sendToChannel, sendToPeople } from '#test/messages-organisation';
import { addModeratedOrganisation } from '#test/moderation-organisation';
import type { Organisation, Person } from '#test/organisation';
import { useGateway } from '#test/start-gateway';
import { optionsWith } from '#test/queue-options';
import { useFixture } from '#test/use-fixture';
import { messageEventType } from './events/message-event.rules.js';

const system = useGateway();
const mail = useFixture(() => Correspondence.in(system));
const sender = useFixture(() => mail.organisation.addPerson({ fullName: 'Sven Sender' }));
const reader = useFixture(() => mail.organisation.addPerson({ fullName: 'Rita Reader' }));
const other = useFixture(() => mail.organisation.addPerson({ fullName: 'Otto Other' }));
const events = useFixture(async () => new EventRepository(system.database.database));

const prisma = () => system.database.database.prisma;

/** The events of messages that are stored during some work. */
async function during(
  work: () => Promise<unknown>,
  { id }: Organisation = mail.organisation,
): Promise<LoggedEvent[]> {
  const head = await events.head(id);
  await work();
  const stored = await events.after(id, head, 1000);
  return stored.filter(({ type }) => type === 'message');
}

/** The message in the event for each form that `GET /messages/{id}` has as well. */
const formsOf = ({ body }: LoggedEvent) =>
  [false, true].flatMap((applyMarkdown) =>
    ([[], ['empty_topic_name']] as const).flatMap((capabilities) =>
      messageEventType.formsOf?.(body, { ...optionsWith(...capabilities), applyMarkdown }),
    ),
  );

async function fetched({ api }: Person, id: unknown) {
  const forms: object[] = [];
  for (const apply_markdown of [false, true]) {
    for (const allow_empty_topic_name of [false, true]) {
      const query = { apply_markdown, allow_empty_topic_name };
      const { body } = await api.get(`/messages/${String(id)}`, query);
      const { flags: _flags, ...message } = body['message'] as Record<string, unknown>;
      forms.push({ message });
    }
  }
  return forms;
}

describe('The event of a message', () => {
  it.each(['lunch', ''])(
    'to the channel topic %j has the message as it is fetched',
    async (topic) => {
      const channel = await mail.addChannel([sender, reader]);
      let id: unknown;
      const [event] = await during(async () => {
        const content = `**Hi** @**Rita Reader** #**${channel.name}**`;
        id = (await sendToChannel(sender, channel, content, topic)).body['id'];
      });
      if (event === undefined) throw new Error('There is no event');
      expect(formsOf(event)).toEqual(await fetched(reader, id));
      expect(event).toMatchObject({ scope: 3, origin: null, exceptIds: [] });
    },
  );

  it('to people has the message as it is fetched', async () => {
    let id: unknown;
    const [event] = await during(async () => {
      id = (await sendToPeople(sender, [reader, other], '/me waves')).body['id'];
    });
    if (event === undefined) throw new Error('There is no event');
    expect(formsOf(event)).toEqual(await fetched(reader, id));
    expect(event).toMatchObject({ scope: 0, userIds: [sender.id, reader.id, other.id] });
  });

  it('is for the recipients with their flags, and in public channels for those who listen to all', async () => {
    const channel = await mail.addChannel([sender, reader, other]);
    await reader.api.post(`/users/me/muted_users/${sender.id}`);
    const [event] = await during(() => sendToChannel(sender, channel, '@**Otto Other**'));
    await reader.api.delete(`/users/me/muted_users/${sender.id}`);
    expect(event).toMatchObject({
      scope: 3,
      userIds: [sender.id, reader.id, other.id],
      flags: [
        { flags: ['mentioned'], userIds: [other.id] },
        { flags: ['read'], userIds: [sender.id, reader.id] },
      ],
    });
  });

  it('has the flags of a mention of everyone', async () => {
    const channel = await mail.addChannel([sender, reader]);
    const [event] = await during(() => sendToChannel(sender, channel, '@**all**'));
    const everyone = ['stream_wildcard_mentioned', 'wildcard_mentioned'];
    expect(event?.flags).toEqual([
      { flags: everyone, userIds: [reader.id] },
      { flags: ['read', ...everyone], userIds: [sender.id] },
    ]);
  });

  it('is unread for the sender on request', async () => {
    const [event] = await during(() =>
      sender.api.post('/messages', {
        type: 'direct',
        to: [sender.id],
        content: 'Later',
        read_by_sender: false,
      }),
    );
    expect(event).toMatchObject({ userIds: [sender.id], flags: null });
  });

  it('of a private channel is only for the recipients', async () => {
    const channel = await mail.addChannel([sender, reader], { isPrivate: true });
    expect(await during(() => sendToChannel(sender, channel))).toMatchObject([
      { scope: 0, userIds: [sender.id, reader.id] },
    ]);
  });

  it('of a sender without a subscription is not for the sender', async () => {
    const channel = await mail.addChannel([reader]);
    expect(await during(() => sendToChannel(sender, channel))).toMatchObject([
      { scope: 3, userIds: [reader.id] },
    ]);
  });

  it('is not stored for a refused message', async () => {
    expect(await during(() => sendToPeople(sender, [reader], ' '))).toEqual([]);
  });

  it('is stored once for a repeated request', async () => {
    const body = `type=direct&to=[${reader.id}]&content=Once`;
    const headers = {
      'content-type': 'application/x-www-form-urlencoded',
      'idempotency-key': 'once',
    };
    const stored = await during(async () => {
      const first = await sender.api.send('POST', '/messages', { headers, body });
      expect(await sender.api.send('POST', '/messages', { headers, body })).toMatchObject({
        status: 200,
        body: { id: first.body['id'] },
      });
    });
    expect(stored).toHaveLength(1);
  });

  it('needs the same statements for any number of recipients', async () => {
    const small = await mail.addChannel([sender]);
    const large = await mail.addChannel([sender]);
    const crowd = await mail.addCrowd(300);
    await prisma().subscription.createMany({
      data: crowd.map(({ id: userId }) => ({ userId, channelId: large.id })),
    });
    await sendToChannel(sender, small);
    await sendToChannel(sender, large);
    const forSmall = await countStatements(() => sendToChannel(sender, small));
    const counts: number[] = [];
    const [event] = await during(async () => {
      counts.push(await countStatements(() => sendToChannel(sender, large)));
    });
    expect(counts).toEqual([forSmall]);
    expect(forSmall).toBe(12);
    expect(event?.userIds).toHaveLength(301);
  });
});

describe('The local id of a message', () => {
  const sendFrom = (queueId: string) =>
    sender.api.post('/messages', {
      type: 'direct',
      to: [reader.id],
      content: 'Echo',
      queue_id: queueId,
      local_id: '12.01',
    });

  const addQueue = async ({ id: userId }: Person): Promise<string> => {
    const id = `queue of ${userId}`;
    const expiresAt = new Date(Date.now() + 600_000);
    await prisma().eventQueue.create({
      data: {
        id,
        realmId: mail.organisation.id,
        userId,
        options: {},
        startPosition: 0,
        idleSeconds: 600,
        expiresAt,
      },
    });
    return id;
  };

  it('is stored with the queue of the sender', async () => {
    const queueId = await addQueue(sender);
    expect(await during(() => sendFrom(queueId))).toMatchObject([
      { origin: { queueId, localId: '12.01' } },
    ]);
  });

  it('is not stored with an unknown queue or with that of another account', async () => {
    const foreign = await addQueue(reader);
    expect(await during(() => sendFrom(foreign))).toMatchObject([{ origin: null }]);
    expect(await during(() => sendFrom('unknown'))).toMatchObject([{ origin: null }]);
  });
});

describe('A guest who cannot see the sender', () => {
  it('gets an event with a substitute identity', async () => {
    const limited = await Correspondence.in(system);
    const [stranger, member] = await limited.organisation.addPeople(2);
    const visitor = await limited.organisation.addPerson({ role: roles.guest });
    const friend = await limited.organisation.addPerson({ role: roles.guest });
    if (stranger === undefined || member === undefined) throw new Error('Nobody was added');
    await limited.addChannel([stranger, friend]);
    const channel = await limited.addChannel([member, visitor, friend]);
    const send = () => during(() => sendToChannel(stranger, channel), limited.organisation);
    expect(await send()).toHaveLength(1);

    const members = await prisma().userGroup.findFirstOrThrow({
      where: { realmId: limited.organisation.id, name: 'role:members' },
    });
    await prisma().realm.update({
      where: { id: limited.organisation.id },
      data: { canAccessAllUsersGroupId: members.id },
    });
    const substitute = {
      sender_id: stranger.id,
      sender_full_name: 'Unknown user',
      sender_email: `user${stranger.id}@${limited.organisation.host}`,
    };
    expect(await send()).toMatchObject([
      { userIds: [member.id, friend.id], body: { message: { sender_email: stranger.email } } },
      { userIds: [visitor.id], scope: 0, body: { message: substitute } },
    ]);
    await limited.addChannel([stranger, visitor]);
    expect(await send()).toMatchObject([{ userIds: [member.id, visitor.id, friend.id] }]);
  });
});

describe('A message of the server', () => {
  it('has an event like any other', async () => {
    const { organisation, correspondence, moderators } = await addModeratedOrganisation(system);
    const [reporter] = await organisation.addPeople(1);
    if (reporter === undefined) throw new Error('Nobody was added');
    const channel = await correspondence.addChannel([reporter]);
    const { body } = await sendToChannel(reporter, channel);
    const stored = await during(
      () => reporter.api.post(`/messages/${String(body['id'])}/report`, { report_type: 'spam' }),
      organisation,
    );
    expect(stored).toMatchObject([
      { body: { message: { stream_id: moderators.id } } },
      { body: { message: { type: 'private' } }, userIds: expect.arrayContaining([reporter.id]) },
    ]);
  });
});
