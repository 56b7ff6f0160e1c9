import { roles } from '#directory/roles';
import { Correspondence } from '#test/messages-organisation';
import type { Person } from '#test/organisation';
import type { System } from '#test/start-system';
import { conversationKey } from '../sending/new-message.rules.js';

/** The row of an account for a message. */
export interface WorldRow {
  readonly isRead: boolean;
  readonly isStarred: boolean;
  readonly isMentioned: boolean;
  readonly isWildcardMentioned: boolean;
  readonly isHistorical: boolean;
}

export interface WorldChannel {
  readonly id: number;
  readonly name: string;
  readonly isPrivate: boolean;
  readonly isWebPublic: boolean;
  readonly isHistoryShared: boolean;
  readonly isArchived: boolean;
  /** Whether the subscriber has muted it, by the id of the subscriber. */
  readonly subscribers: ReadonlyMap<number, boolean>;
  /** How users see topics in lower case, by user and topic: 1 muted, 2 unmuted, 3 followed. */
  readonly topics: ReadonlyMap<string, number>;
}

export interface WorldMessage {
  readonly id: number;
  readonly senderId: number;
  readonly channel: WorldChannel | null;
  readonly memberIds: readonly number[];
  readonly topic: string;
  readonly content: string;
  readonly hasReaction: boolean;
  readonly rows: ReadonlyMap<number, WorldRow>;
}

/** A random history of an organisation, as a test knows it. */
export interface MessageWorld {
  readonly mail: Correspondence;
  readonly people: readonly Person[];
  readonly guest: Person;
  readonly channels: readonly WorldChannel[];
  readonly messages: readonly WorldMessage[];
}

export const TOPICS = ['lunch', 'LUNCH', 'Tea', '', '✔ Tea'];
export const WORDS = ['soup', 'salad', 'cooking', 'cooked', 'the'];

/** A whole number below `end`. */
type Choose = (end: number) => number;

const MESSAGES = 160;

const kinds = [
  { name: 'Public', isPrivate: false },
  { name: 'Private', isPrivate: true },
  { name: 'History', isPrivate: true, isHistoryPublic: true },
  { name: 'Web', isPrivate: false, isWebPublic: true },
  { name: 'Old', isPrivate: false, archivedAt: new Date(0) },
  { name: 'Short', isPrivate: false, isHistoryPublic: false },
];

/** Stores a random history; `choose` makes the choices. */
export async function createWorld(system: System, choose: Choose): Promise<MessageWorld> {
  const { prisma } = system.database.database;
  const mail = await Correspondence.in(system);
  const people = await mail.organisation.addPeople(4);
  const guest = await mail.organisation.addPerson({ role: roles.guest });
  const everyone = [...people, guest];
  const pick = <One>(list: readonly One[]): One => {
    const one = list[choose(list.length)];
    if (one === undefined) throw new Error('An empty list');
    return one;
  };

  const channels: WorldChannel[] = [];
  for (const kind of kinds) {
    const subscribers = new Map(
      everyone.filter(() => choose(3) > 0).map(({ id }) => [id, choose(4) === 0]),
    );
    const { id } = await prisma.channel.create({
      data: {
        realmId: mail.organisation.id,
        ...kind,
        subscriptions: {
          create: [...subscribers].map(([userId, isMuted]) => ({ userId, isMuted })),
        },
      },
    });
    const topics = new Map<string, number>();
    for (const person of everyone) {
      for (const topic of new Set(TOPICS.map((one) => one.toLowerCase()))) {
        const visibility = choose(8);
        if (visibility < 1 || visibility > 3) continue;
        topics.set(`${person.id} ${topic}`, visibility);
        await prisma.userTopic.create({
          data: { userId: person.id, channelId: id, topicKey: topic, topic, visibility },
        });
      }
    }
    channels.push({
      topics,
      id,
      name: kind.name,
      isPrivate: kind.isPrivate,
      isWebPublic: kind.isWebPublic === true,
      isHistoryShared: kind.isHistoryPublic ?? !kind.isPrivate,
      isArchived: kind.archivedAt !== undefined,
      subscribers,
    });
  }

  const conversations = new Map<string, number>();
  const conversationOf = async (memberIds: readonly number[]): Promise<number> => {
    const key = conversationKey(memberIds);
    const known = conversations.get(key);
    if (known !== undefined) return known;
    const { id } = await prisma.directConversation.create({
      data: {
        realmId: mail.organisation.id,
        key,
        members: { create: memberIds.map((userId) => ({ userId })) },
      },
    });
    conversations.set(key, id);
    return id;
  };

  const messages: WorldMessage[] = [];
  for (let count = 0; count < MESSAGES; count += 1) {
    const sender = pick(everyone);
    const channel = choose(3) > 0 ? pick(channels) : null;
    const others = everyone.filter(() => choose(3) === 0).map(({ id }) => id);
    const memberIds =
      channel === null
        ? [...new Set([sender.id, ...others])].toSorted((one, other) => one - other)
        : [];
    const content = `${pick(WORDS)} ${pick(WORDS)} ${choose(4) === 0 ? 'https://a.example/x' : ''}`;
    const topic = channel === null ? '' : pick(TOPICS);
    const isRendered = choose(5) > 0;
    const { id } = await prisma.message.create({
      data: {
        realmId: mail.organisation.id,
        senderId: sender.id,
        channelId: channel?.id ?? null,
        conversationId: channel === null ? await conversationOf(memberIds) : null,
        topic,
        content,
        rendered: isRendered
          ? `<p>${content.replace('https://a.example/x', '<a href="https://a.example/x">x</a>')}</p>`
          : null,
      },
    });
    const readers =
      channel === null
        ? memberIds
        : everyone.map((person) => person.id).filter(() => choose(2) === 0);
    const rows = new Map(
      readers.map((userId): [number, WorldRow] => [
        userId,
        {
          isRead: choose(2) === 0,
          isStarred: choose(5) === 0,
          isMentioned: choose(5) === 0,
          isWildcardMentioned: choose(8) === 0,
          isHistorical: channel !== null && choose(6) === 0,
        },
      ]),
    );
    await prisma.userMessage.createMany({
      data: [...rows].map(([userId, row]) => ({ userId, messageId: id, ...row })),
    });
    const hasReaction = choose(4) === 0;
    if (hasReaction) {
      const emoji = { emojiType: 'unicode_emoji', emojiCode: '1f44d', emojiName: '+1' };
      await prisma.messageReaction.create({ data: { messageId: id, userId: sender.id, ...emoji } });
    }
    messages.push({
      hasReaction,
      id: Number(id),
      senderId: sender.id,
      channel,
      memberIds,
      topic,
      content,
      rows,
    });
  }
  return { mail, people, guest, channels, messages };
}
