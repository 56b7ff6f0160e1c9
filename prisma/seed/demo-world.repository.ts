import type { Database, Prisma } from '#database';
import { createSystemGroups } from '#user-groups';
import {
  demoChannels,
  demoEmail,
  demoFoundedAt,
  demoGroups,
  demoMessages,
  demoRealm,
  demoRoles,
  demoSnippets,
  demoUsers,
} from './demo-world.js';

/** Any number that no one else locks; held while seeding, so that two starts take turns. */
const SEED_LOCK = 7_218_091_102;
const TRANSACTION_TIMEOUT_MS = 60_000;

/** What an account signs in with, ready to be stored. */
export interface StoredCredentials {
  readonly passwordHash: string;
  readonly apiKeyHash: Uint8Array<ArrayBuffer>;
  readonly apiKeySealed: Uint8Array<ArrayBuffer>;
}

type Transaction = Prisma.TransactionClient;
type Ids = ReadonlyMap<string, number>;

/** Makes the demo organisation, whole or not at all. */
export class DemoWorldRepository {
  constructor(private readonly database: Database) {}

  /**
   * Makes the organisation unless there is one at the root; resolves with whether it did.
   * `credentialsOf` is called once for each account. `now` is when the last message was sent.
   */
  async createIfMissing(
    credentialsOf: (name: string) => Promise<StoredCredentials>,
    now: Date,
  ): Promise<boolean> {
    return this.database.prisma.$transaction(
      async (transaction) => {
        await transaction.$queryRaw`SELECT 1 FROM (SELECT pg_advisory_xact_lock(${SEED_LOCK})) AS held`;
        const { subdomain, name } = demoRealm;
        const known = await transaction.realm.findUnique({ where: { subdomain } });
        if (known !== null) return false;
        const realm = await transaction.realm.create({
          data: { subdomain, name, createdAt: demoFoundedAt },
        });
        await createWorld(transaction, realm.id, { credentialsOf, now });
        return true;
      },
      { timeout: TRANSACTION_TIMEOUT_MS, maxWait: TRANSACTION_TIMEOUT_MS },
    );
  }
}

interface Circumstances {
  readonly credentialsOf: (name: string) => Promise<StoredCredentials>;
  readonly now: Date;
}

async function createWorld(
  transaction: Transaction,
  realmId: number,
  { credentialsOf, now }: Circumstances,
): Promise<void> {
  const userIds = await createUsers(transaction, realmId, credentialsOf);
  const groupIds = await createGroups(transaction, realmId, userIds);
  const channelIds = await createChannels(transaction, realmId, userIds);
  await transaction.realm.update({
    where: { id: realmId },
    data: {
      canCreateUsersGroupId: idOf(groupIds, demoRealm.canCreateUsersGroup),
      moderationChannelId: idOf(channelIds, demoRealm.moderationChannel),
    },
  });
  await createMessages(transaction, { realmId, userIds, channelIds, now });
  await transaction.savedSnippet.createMany({
    data: demoSnippets.map(({ owner, title, content }) => ({
      userId: idOf(userIds, owner),
      title,
      content,
      createdAt: demoFoundedAt,
    })),
  });
}

async function createUsers(
  transaction: Transaction,
  realmId: number,
  credentialsOf: Circumstances['credentialsOf'],
): Promise<Ids> {
  const ids = new Map<string, number>();
  for (const user of demoUsers) {
    const email = demoEmail(user.name);
    const { id } = await transaction.user.create({
      data: {
        realmId,
        deliveryEmail: email,
        email,
        fullName: user.fullName,
        role: demoRoles[user.role],
        isBot: user.botOwner !== undefined,
        botOwnerId: user.botOwner === undefined ? null : idOf(ids, user.botOwner),
        isActive: user.isActive ?? true,
        isPresenceEnabled: user.isPresenceEnabled ?? true,
        dateJoined: demoFoundedAt,
        ...(await credentialsOf(user.name)),
      },
    });
    ids.set(user.name, id);
  }
  return ids;
}

async function createGroups(transaction: Transaction, realmId: number, userIds: Ids): Promise<Ids> {
  const ids = new Map(Object.entries(await createSystemGroups(transaction, realmId)));
  for (const { name, description, creator, isDeactivated } of demoGroups) {
    const { id } = await transaction.userGroup.create({
      data: {
        realmId,
        name,
        description,
        creatorId: idOf(userIds, creator),
        createdAt: demoFoundedAt,
        deactivatedAt: isDeactivated ? demoFoundedAt : null,
      },
    });
    ids.set(name, id);
  }
  for (const { name, creator } of demoGroups) {
    const creatorAlone = await createNamelessGroup(transaction, realmId, idOf(userIds, creator));
    await transaction.userGroup.update({
      where: { id: idOf(ids, name) },
      data: { canAddMembersId: creatorAlone, canManageId: creatorAlone },
    });
  }
  await transaction.userGroupMember.createMany({
    data: demoGroups.flatMap(({ name, members }) =>
      members.map((member) => ({ groupId: idOf(ids, name), userId: idOf(userIds, member) })),
    ),
  });
  await transaction.userGroupSubgroup.createMany({
    data: demoGroups.flatMap(({ name, subgroups }) =>
      subgroups.map((subgroup) => ({
        supergroupId: idOf(ids, name),
        subgroupId: idOf(ids, subgroup),
      })),
    ),
  });
  return ids;
}

/** A permission that one account has, as who creates something has it. */
async function createNamelessGroup(
  transaction: Transaction,
  realmId: number,
  userId: number,
): Promise<number> {
  const { id } = await transaction.userGroup.create({
    data: { realmId, members: { create: { userId } } },
  });
  return id;
}

async function createChannels(
  transaction: Transaction,
  realmId: number,
  userIds: Ids,
): Promise<Ids> {
  const ids = new Map<string, number>();
  for (const channel of demoChannels) {
    const creatorId = idOf(userIds, channel.creator);
    const { id } = await transaction.channel.create({
      data: {
        realmId,
        name: channel.name,
        description: channel.description,
        isPrivate: channel.kind === 'private',
        isWebPublic: channel.kind === 'web-public',
        isDefault: channel.isDefault ?? false,
        creatorId,
        createdAt: demoFoundedAt,
        archivedAt: channel.isArchived ? demoFoundedAt : null,
        canAdministerChannelId: await createNamelessGroup(transaction, realmId, creatorId),
        subscriptions: {
          create: channel.subscribers.map((name) => ({ userId: idOf(userIds, name) })),
        },
      },
    });
    ids.set(channel.name, id);
  }
  return ids;
}

interface MessageContext {
  readonly realmId: number;
  readonly userIds: Ids;
  readonly channelIds: Ids;
  readonly now: Date;
}

const MINUTE_MS = 60_000;

async function createMessages(transaction: Transaction, context: MessageContext): Promise<void> {
  const { realmId, userIds, channelIds, now } = context;
  const conversations = new Map<string, number>();
  for (const [index, { sender, place, content }] of demoMessages.entries()) {
    const minutesAgo = demoMessages.length - 1 - index;
    const recipients = 'people' in place ? place.people : subscribersOf(place.channel);
    const where =
      'people' in place
        ? {
            conversationId: await conversationOf(transaction, context, place.people, conversations),
          }
        : { channelId: idOf(channelIds, place.channel), topic: place.topic };
    await transaction.message.create({
      data: {
        realmId,
        senderId: idOf(userIds, sender),
        content,
        sentAt: new Date(now.getTime() - minutesAgo * MINUTE_MS),
        ...where,
        recipients: {
          create: recipients.map((name) => ({
            userId: idOf(userIds, name),
            isRead: name === sender,
          })),
        },
      },
    });
  }
  await countTraffic(transaction, realmId);
}

/** What sending a message keeps of its channel, for messages that were not sent. */
async function countTraffic(transaction: Transaction, realmId: number): Promise<void> {
  await transaction.$executeRaw`
    UPDATE channels c SET first_message_id = (SELECT min(id) FROM messages WHERE channel_id = c.id)
    WHERE realm_id = ${realmId}`;
  await transaction.$executeRaw`
    INSERT INTO channel_traffic (channel_id, day, messages)
    SELECT channel_id, (sent_at AT TIME ZONE 'UTC')::date, count(*)
    FROM messages WHERE realm_id = ${realmId} AND channel_id IS NOT NULL GROUP BY 1, 2`;
}

const subscribersOf = (channelName: string): readonly string[] =>
  demoChannels.find(({ name }) => name === channelName)?.subscribers ?? [];

async function conversationOf(
  transaction: Transaction,
  { realmId, userIds }: MessageContext,
  people: readonly string[],
  known: Map<string, number>,
): Promise<number> {
  const members = people.map((name) => idOf(userIds, name)).toSorted((a, b) => a - b);
  const key = members.join(',');
  const id = known.get(key);
  if (id !== undefined) return id;
  const conversation = await transaction.directConversation.create({
    data: { realmId, key, members: { create: members.map((userId) => ({ userId })) } },
  });
  known.set(key, conversation.id);
  return conversation.id;
}

function idOf(ids: Ids, name: string): number {
  const id = ids.get(name);
  if (id === undefined) throw new Error(`The demo world speaks of "${name}" before making it.`);
  return id;
}
