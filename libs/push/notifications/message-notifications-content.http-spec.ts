import { beforeAll, describe, expect, it } from '@jest/globals';
import { idOf } from '#test/answers';
import { VisibleUsersRepository } from '#directory/guest-access';
import { roles } from '#directory/roles';
import { MessageContentRepository } from './message-content.repository.js';
import { ContentReader } from './content-reader.js';
import { unwantedMessagesIn } from './decision/review.fixture.js';
import { countStatements } from '#test/count-statements';
import type { Person } from '#test/organisation';
import { useGateway } from '#test/start-gateway';
import { NotifiedPeople } from '#test/message-notifications-world';
import { sendToChannel, sendToPeople } from '#test/messages-organisation';
import { useFixture } from '#test/use-fixture';

const system = useGateway();
const people = useFixture(() => NotifiedPeople.in(system));
const sender = useFixture(() => people.add({}, { fullName: 'Sven Sender' }));
const reader = useFixture(() =>
  people.add({ isPushedChannels: true }, { fullName: 'Rita Reader' }),
);
let sut: ContentReader;

beforeAll(async () => {
  sut = reading();
});

function reading({ isRedacted = false } = {}): ContentReader {
  const { database } = system.database;
  return new ContentReader(
    new MessageContentRepository(database),
    new VisibleUsersRepository(database),
    unwantedMessagesIn(database),
    isRedacted,
    new URL('https://chat.example.org:8443'),
  );
}

type Trigger = 'direct' | 'mention' | 'channel' | 'group_mention';

const contentOf = (messageId: number, trigger: Trigger = 'direct', groupId?: number) => ({
  kind: 'message' as const,
  messageId,
  trigger,
  ...(groupId !== undefined && { groupId }),
});

/** A message says the same on each. */
const onAnyPhoneOf = ({ id }: { readonly id: number }) => ({
  userId: id,
  deviceId: 1,
  sequence: Number.MAX_SAFE_INTEGER,
  attempts: 0,
  acceptedAt: 0,
  databaseNow: 0,
});

/** The id of a message of a channel whose readers were notified. */
async function notifiedIn(...sent: Parameters<typeof sendToChannel>): Promise<number> {
  const messageId = idOf(await sendToChannel(...sent));
  await people.prisma.userMessage.updateMany({ where: { messageId }, data: { isPushed: true } });
  return messageId;
}

/** The content of the notification of a message for the reader. */
async function textOf(content: string, from: ContentReader = sut): Promise<string | undefined> {
  const messageId = idOf(await sendToPeople(sender, [reader], content));
  const read = await from.read(onAnyPhoneOf(reader), contentOf(messageId));
  return read?.kind === 'message' ? read.message.text : undefined;
}

describe(ContentReader.name, () => {
  it('shows a direct message with all participants', async () => {
    const messageId = idOf(await sendToPeople(sender, [reader], 'Soup at **noon**?'));
    const { sentAt } = await people.prisma.message.findUniqueOrThrow({ where: { id: messageId } });
    expect(await sut.read(onAnyPhoneOf(reader), contentOf(messageId))).toEqual({
      kind: 'message',
      trigger: { kind: 'direct' },
      message: {
        id: messageId,
        sentAt: Math.floor(sentAt.getTime() / 1000),
        text: 'Soup at noon?',
        sender: {
          id: sender.id,
          email: sender.email,
          fullName: 'Sven Sender',
          avatarUrl: expect.stringMatching(
            new RegExp(`^https?://[^/]+/avatar/${sender.id}\\?version=1$`),
          ),
        },
        place: {
          kind: 'direct',
          people: [
            { id: sender.id, fullName: 'Sven Sender' },
            { id: reader.id, fullName: 'Rita Reader' },
          ],
        },
      },
    });
  });

  it('shows a channel message with its topic, and the mentioned group', async () => {
    const groupId = await people.mail.addGroup([reader], { name: 'cooks' });
    const channel = await people.mail.addChannel([sender, reader], { name: 'kitchen' });
    const messageId = await notifiedIn(sender, channel, '@*cooks* soup');
    const read = await sut.read(
      onAnyPhoneOf(reader),
      contentOf(messageId, 'group_mention', groupId),
    );
    expect(read).toMatchObject({
      trigger: { kind: 'group_mention', group: { id: groupId, name: 'cooks' } },
      message: {
        text: '@cooks soup',
        place: { kind: 'channel', channelId: channel.id, channelName: 'kitchen', topic: 'lunch' },
      },
    });
    await people.prisma.userGroup.update({
      where: { id: groupId },
      data: { deactivatedAt: new Date() },
    });
    expect(
      await sut.read(onAnyPhoneOf(reader), contentOf(messageId, 'group_mention', groupId)),
    ).toMatchObject({
      trigger: { kind: 'mention' },
    });
  });

  it('shows the name of the empty topic', async () => {
    const channel = await people.mail.addChannel([sender, reader]);
    const messageId = await notifiedIn(sender, channel, 'Soup?', '');
    expect(await sut.read(onAnyPhoneOf(reader), contentOf(messageId, 'channel'))).toMatchObject({
      message: { place: { kind: 'channel', topic: 'general chat' } },
    });
  });

  it.each([
    ['a'.repeat(200), 'a'.repeat(200)],
    ['a'.repeat(201), `${'a'.repeat(200)}…`],
    ['```spoiler Secret\nIt was the cook.\n```', 'Secret (…)'],
    ['```quote\nSoup?\n```\n\nYes', '[…]\nYes'],
    ['[](https://example.org)', 'https://example.org'],
  ])('shows %j as plain text', async (content, expected) => {
    expect(await textOf(content)).toBe(expected);
  });

  it('omits the text if configured', async () => {
    expect(await textOf('Soup at noon?', reading({ isRedacted: true }))).toBe('New message');
  });

  it('renders a message that was stored without HTML', async () => {
    const messageId = idOf(await sendToPeople(sender, [reader]));
    await people.prisma.message.update({
      where: { id: messageId },
      data: { content: '**old**', rendered: null },
    });
    expect(await sut.read(onAnyPhoneOf(reader), contentOf(messageId))).toMatchObject({
      message: { text: 'old' },
    });
  });

  it('renders the text of a message once for any number of batches', async () => {
    const messageId = idOf(await sendToPeople(sender, [reader], 'Soup?'));
    const textNow = () => sut.read(onAnyPhoneOf(reader), contentOf(messageId));
    expect(await textNow()).toMatchObject({ message: { text: 'Soup?' } });
    await people.prisma.message.update({
      where: { id: messageId },
      data: { content: 'Bread?', rendered: '<p>Bread?</p>' },
    });
    expect(await textNow()).toMatchObject({ message: { text: 'Soup?' } });
  });

  it('shows no message that was read or deleted', async () => {
    const [read, gone] = [
      idOf(await sendToPeople(sender, [reader])),
      idOf(await sendToPeople(sender, [reader])),
    ];
    await reader.api.post('/messages/flags', { messages: [read], op: 'add', flag: 'read' });
    expect(await sut.read(onAnyPhoneOf(reader), contentOf(read))).toBeNull();
    await people.prisma.message.delete({ where: { id: gone } });
    expect(await sut.read(onAnyPhoneOf(reader), contentOf(gone))).toBeNull();
    const other = await people.add();
    expect(await sut.read(onAnyPhoneOf(other), contentOf(read))).toBeNull();
  });

  it('shows nothing of a channel that the reader has left', async () => {
    const channel = await people.mail.addChannel([sender, reader]);
    const messageId = await notifiedIn(sender, channel);
    expect(await sut.read(onAnyPhoneOf(reader), contentOf(messageId, 'channel'))).not.toBeNull();
    await people.prisma.subscription.updateMany({
      where: { channelId: channel.id, userId: reader.id },
      data: { isActive: false },
    });
    expect(await sut.read(onAnyPhoneOf(reader), contentOf(messageId, 'channel'))).toBeNull();
  });

  it('takes back a message that was muted at the moment of the decision', async () => {
    const channel = await people.mail.addChannel([sender, reader]);
    const messageId = await notifiedIn(sender, channel);
    const topic = { stream_id: channel.id, topic: 'lunch' };
    await reader.api.post('/user_topics', { ...topic, visibility_policy: 1 });
    // As a statement leaves it that did not see the muting yet.
    const own = { messageId, userId: reader.id };
    await people.prisma.userMessage.updateMany({ where: own, data: { isPushed: true } });
    expect(await sut.read(onAnyPhoneOf(reader), contentOf(messageId, 'channel'))).toBeNull();
    expect(await people.onScreenOf(reader)).not.toContain(messageId);
    expect((await people.of(reader)).at(-1)).toMatchObject({
      kind: 'remove',
      content: { messageIds: [messageId] },
    });
    await reader.api.post('/user_topics', { ...topic, visibility_policy: 0 });
    expect(
      await people.prisma.pushDeferral.findUnique({ where: { userId: reader.id } }),
    ).toMatchObject({ fromMessageId: BigInt(messageId) });
  });

  it('returns a test without a statement', async () => {
    const content = { kind: 'test' as const, time: 1_700_000_000 };
    const statements = await countStatements(async () => {
      expect(await sut.read(onAnyPhoneOf(reader), content)).toEqual(content);
    });
    expect(statements).toBe(0);
  });

  it('shows no message that was taken back, although it is unread', async () => {
    const messageId = idOf(await sendToPeople(sender, [reader]));
    await people.prisma.userMessage.updateMany({ where: { messageId }, data: { isPushed: false } });
    expect(await sut.read(onAnyPhoneOf(reader), contentOf(messageId))).toBeNull();
  });

  it('reads for many accounts in one statement, each with its permissions', async () => {
    const others: Person[] = [];
    for (let count = 0; count < 3; count += 1) {
      others.push(await people.add({ isPushedChannels: true }));
    }
    const channel = await people.mail.addChannel([sender, reader, ...others]);
    const ids = [
      await notifiedIn(sender, channel, 'one'),
      await notifiedIn(sender, channel, 'two'),
    ];
    await others[0]?.api.post('/messages/flags', { messages: ids, op: 'add', flag: 'read' });
    let texts: unknown[] = [];
    const statements = await countStatements(async () => {
      const contents = await Promise.all(
        [reader, ...others].flatMap(({ id: userId }) =>
          ids.map((messageId) =>
            sut.read(onAnyPhoneOf({ id: userId }), contentOf(messageId, 'channel')),
          ),
        ),
      );
      texts = contents.map((read) => (read?.kind === 'message' ? read.message.text : null));
    });
    expect(statements).toBe(1);
    expect(texts).toEqual(['one', 'two', null, null, 'one', 'two', 'one', 'two']);
  });
});

describe('A sender that a guest cannot see', () => {
  /** A guest who is notified of messages of two members; only one of them is subscribed to the channel. */
  async function guestAmong(limited: NotifiedPeople) {
    const member = await limited.add({}, { fullName: 'Mia Member' });
    const stranger = await limited.add({}, { fullName: 'Stan Stranger' });
    const guest = await limited.add({ isPushedChannels: true }, { role: roles.guest });
    const channel = await limited.mail.addChannel([member, guest]);
    const ids = [await notifiedIn(member, channel), await notifiedIn(stranger, channel)];
    return { guest, stranger, ids };
  }

  const sendersAsReadBy = async (guest: Person, ids: readonly number[]) =>
    Promise.all(
      ids.map(async (id) => {
        const read = await sut.read(onAnyPhoneOf(guest), contentOf(id, 'channel'));
        return read?.kind === 'message' ? read.message.sender : null;
      }),
    );

  it('is anonymous', async () => {
    const limited = await NotifiedPeople.in(system);
    const { id: realmId } = limited.mail.organisation;
    const members = await limited.prisma.userGroup.findFirstOrThrow({
      where: { realmId, name: 'role:members' },
    });
    const realm = await limited.prisma.realm.update({
      where: { id: realmId },
      data: { canAccessAllUsersGroupId: members.id },
    });
    const { guest, stranger, ids } = await guestAmong(limited);
    expect(await sendersAsReadBy(guest, ids)).toMatchObject([
      { fullName: 'Mia Member' },
      {
        id: stranger.id,
        fullName: 'Unknown user',
        email: `user${stranger.id}@${realm.subdomain}.chat.example.org`,
      },
    ]);
  });

  it('is shown if the organisation does not limit guests', async () => {
    const { guest, ids } = await guestAmong(await NotifiedPeople.in(system));
    expect(await sendersAsReadBy(guest, ids)).toMatchObject([
      { fullName: 'Mia Member' },
      { fullName: 'Stan Stranger' },
    ]);
  });
});
