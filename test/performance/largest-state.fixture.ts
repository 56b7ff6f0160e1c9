import { z } from 'zod';
import { MAX_ALERT_WORDS } from '#chat/alert-words';
import { MAX_CHANNEL_BYTES, MAX_LISTED_TOPICS } from '#chat/channels';
import { MAX_RECORDED_EDITS } from '#chat/messages';
import { MAX_REACTIONS } from '#chat/reactions';
import { MAX_LISTED_FILES } from '#chat/uploads';
import { MAX_GROUP_BYTES, MAX_GROUPS } from '#directory/groups';
import { roles } from '#directory/roles';
import { limitVariables } from '#platform/config';
import { longestTexts } from '#platform/contracts';
import { slicesOf } from '#platform/core';
import type { Database } from '#platform/database';
import { renderMarkdown } from '#platform/markdown';
import { isLongRun } from '#test/chaos-run';
import { fillLists, fillStorage, longestCode as code } from '#test/full-lists';
import { Correspondence } from '#test/messages-organisation';
import type { Person } from '#test/organisation';
import type { System } from '#test/start-system';

/** An account with as much as its limits allow, in an organisation that is as large as it can make it in some hours. */
export interface LargestState {
  readonly person: Person;
  readonly bot: Person;
  readonly channelId: number;
  readonly groupId: number;
  /** Short messages, each in a topic of its own. */
  readonly shortIds: readonly number[];
  /** Long messages, in ascending order. */
  readonly longIds: readonly number[];
  /** A message that was edited 50 times, has 2,000 reactions, and that all have read. */
  readonly editedId: number;
}

/** As many as a limit allows; fewer in `npm test`, whose answers and costs are linear in them. */
const upTo = (limit: number, inShortRuns: number): number =>
  isLongRun ? limit : Math.min(limit, inShortRuns);

/** The limits of a gateway without settings. */
const limits = z.object(limitVariables).parse({});

/** Of more than a page of messages. */
const LONG_MESSAGES = 400;
const EDITS = MAX_RECORDED_EDITS;
const CROWD = upTo(limits.MAX_ACCOUNTS, 2000);
const TOPICS = upTo(MAX_LISTED_TOPICS, 6000);
/** Their texts have a limit too. */
const CHANNELS = upTo(Math.min(limits.MAX_CHANNELS, shareOf(MAX_CHANNEL_BYTES)), 300);
const GROUPS = upTo(Math.min(MAX_GROUPS, shareOf(MAX_GROUP_BYTES)), 300);
const USER_TOPICS = upTo(limits.MAX_USER_TOPICS, 6000);
const MUTED_USERS = upTo(limits.MAX_MUTED_USERS, 2000);
const FILES = MAX_LISTED_FILES;
const EMOJI = upTo(limits.MAX_CUSTOM_EMOJI, 1000);
const ALERT_WORDS = MAX_ALERT_WORDS;
const REACTIONS = Math.min(MAX_REACTIONS, CROWD);

/** How many texts of the longest description fit, with the bytes of each name and entry. */
function shareOf(bytes: number): number {
  return Math.floor(bytes / (4 * longestTexts.channelDescription + 500));
}

/** Rows of one statement, which has a time limit. */
const PAGE = 1000;

/** Numbers from 0 on, in pages. */
const pagesOf = (length: number): number[][] =>
  Array.from({ length: Math.ceil(length / PAGE) }, (_, page) =>
    Array.from(
      { length: Math.min(PAGE, length - page * PAGE) },
      (_one, index) => page * PAGE + index,
    ),
  );

/** A name of 60 characters with many bytes. */
const longName = (index: number): string => `${index} ${'😀'.repeat(50)}`;

export async function makeLargestState(
  system: System,
  role: number = roles.owner,
): Promise<LargestState> {
  const mail = await Correspondence.in(system);
  const person = await mail.organisation.addPerson({ role });
  const bot = await mail.organisation.addPerson({ isBot: true });
  const { id: channelId } = await mail.addChannel([person]);
  const { database } = system.database;
  const place = { realmId: mail.organisation.id, senderId: person.id, channelId };
  const crowd: { readonly id: number }[] = [];
  for (const { length } of pagesOf(CROWD))
    crowd.push(...(await mail.addCrowd(length, crowd.length)));
  const shortIds = await addMessages(database, person, shortMessages(place));
  const longIds = await addMessages(database, person, longMessages(place));
  const editedId = longIds.at(-1) ?? 0;
  await addEdits(database, person, editedId);
  await addReaders(database, editedId, crowd);
  await addLists(database, place, crowd);
  const groupId = await addOrganisationLists(database, place, crowd);
  await fillLists(person.api, channelId);
  await fillStorage(bot.api);
  await analyze(database);
  return { person, bot, channelId, groupId, shortIds, longIds, editedId };
}

/** Statistics of the new rows, as in a database of some hours. Of one table after another: a statement has a time limit. */
async function analyze({ prisma }: Database): Promise<void> {
  const tables = await prisma.$queryRaw<{ readonly name: string }[]>`
    SELECT relname AS name FROM pg_stat_user_tables WHERE n_mod_since_analyze > 0`;
  for (const { name } of tables) await prisma.$executeRawUnsafe(`ANALYZE "${name}"`);
}

interface Place {
  readonly realmId: number;
  readonly senderId: number;
  readonly channelId: number;
}

type NewMessage = Place & {
  readonly topic: string;
  readonly content: string;
  readonly rendered: string;
};

const shortMessages = (place: Place): NewMessage[] =>
  Array.from({ length: TOPICS }, (_, index) => {
    return { ...place, topic: longName(index), content: 'x', rendered: '<p>x</p>' };
  });

function longMessages(place: Place): NewMessage[] {
  const rendered = renderMarkdown(code).html;
  return Array.from({ length: LONG_MESSAGES }, () => {
    return { ...place, topic: 'plan', content: code, rendered };
  });
}

async function addMessages(
  { prisma }: Database,
  { id: userId }: Person,
  data: readonly NewMessage[],
): Promise<number[]> {
  const ids: number[] = [];
  for (const page of slicesOf(data, PAGE)) {
    const rows = await prisma.message.createManyAndReturn({ data: page, select: { id: true } });
    await prisma.userMessage.createMany({
      data: rows.map(({ id }) => ({ userId, messageId: id, isStarred: true })),
    });
    ids.push(...rows.map(({ id }) => Number(id)));
  }
  return ids.toSorted((one, other) => one - other);
}

async function addEdits({ prisma }: Database, { id: userId }: Person, id: number): Promise<void> {
  const messageId = BigInt(id);
  const versions = Array.from({ length: EDITS }, (_, index) =>
    code.replaceAll("x='1'", index % 2 === 0 ? "y='2'" : "z='3'"),
  );
  await prisma.messageEdit.createMany({
    data: versions.map((prevContent, index) => ({
      messageId,
      userId,
      editedAt: new Date(1_700_000_000_000 + index * 1000),
      prevContent,
      prevRendered: renderMarkdown(prevContent).html,
    })),
  });
  await prisma.message.update({ where: { id: messageId }, data: { lastEditedAt: new Date() } });
}

type Crowd = readonly { readonly id: number }[];

async function addReaders({ prisma }: Database, id: number, crowd: Crowd): Promise<void> {
  const messageId = BigInt(id);
  for (const page of slicesOf(crowd, PAGE)) {
    await prisma.userMessage.createMany({
      data: page.map(({ id: userId }) => ({ userId, messageId, isRead: true })),
    });
  }
  const reaction = { messageId, emojiType: 'unicode_emoji', emojiCode: '1f44d' };
  await prisma.messageReaction.createMany({
    data: crowd.slice(0, REACTIONS).map(({ id: userId }) => {
      return { ...reaction, userId, emojiName: '+1' };
    }),
  });
}

async function addLists({ prisma }: Database, place: Place, crowd: Crowd): Promise<void> {
  const { realmId, senderId: userId, channelId } = place;
  const numbers = (length: number) => Array.from({ length }, (_, index) => index);
  for (const page of pagesOf(USER_TOPICS)) {
    await prisma.userTopic.createMany({
      data: page.map((index) => {
        const topic = longName(index);
        return { userId, channelId, topicKey: topic.toLowerCase(), topic, visibility: 1 };
      }),
    });
  }
  await prisma.mutedUser.createMany({
    data: crowd.slice(0, MUTED_USERS).map(({ id: mutedUserId }) => ({ userId, mutedUserId })),
  });
  await prisma.alertWord.createMany({
    data: numbers(ALERT_WORDS).map((index) => {
      const word = `${index}${'😀'.repeat(90)}`;
      return { userId, realmId, word, folded: word, firstRun: String(index) };
    }),
  });
  for (const page of pagesOf(FILES)) {
    await prisma.attachment.createMany({
      data: page.map((index) => ({
        realmId,
        ownerId: userId,
        pathId: `${realmId}/ab/${index}/${'a'.repeat(200)}`,
        fileName: 'ä'.repeat(200),
        contentType: 'image/png',
        sizeBytes: 3n,
      })),
    });
  }
}

async function addOrganisationLists(
  { prisma }: Database,
  { realmId, senderId: userId }: Place,
  crowd: Crowd,
): Promise<number> {
  const description = '😀'.repeat(longestTexts.channelDescription);
  const named = (index: number) => {
    return { realmId, name: longName(index), description, creatorId: userId };
  };
  for (const page of pagesOf(CHANNELS)) {
    const channels = await prisma.channel.createManyAndReturn({
      data: page.map(named),
      select: { id: true },
    });
    await prisma.subscription.createMany({
      data: channels.map(({ id: channelId }) => ({ channelId, userId })),
    });
  }
  for (const page of pagesOf(GROUPS)) await prisma.userGroup.createMany({ data: page.map(named) });
  const { id: groupId } = await prisma.userGroup.findFirstOrThrow({
    where: { realmId, name: longName(0) },
  });
  for (const page of slicesOf(crowd, PAGE)) {
    await prisma.userGroupMember.createMany({
      data: page.map(({ id }) => ({ groupId, userId: id })),
    });
  }
  await prisma.realmEmoji.createMany({
    data: Array.from({ length: EMOJI }, (_, index) => {
      return {
        realmId,
        name: `${'a'.repeat(90)}${index}`,
        authorId: userId,
        fileKey: `${index}.png`,
      };
    }),
  });
  return groupId;
}
