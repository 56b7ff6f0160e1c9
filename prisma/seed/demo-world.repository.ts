import { createSystemGroups } from '#directory/groups';
import type { Database, Transaction } from '#platform/database';
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

/**
 * The key of the advisory lock of the seed. It makes concurrent starts wait for each other; any unused number works.
 */
const SEED_LOCK = 7_218_091_102;

/** The stored form of the credentials of an account. */
export interface StoredCredentials {
  readonly passwordHash: string;
  readonly apiKeyHash: Uint8Array;
  readonly apiKeySealed: Uint8Array;
}

const LOCK = `SELECT pg_advisory_xact_lock($1)`;

/** Waits for the transactions of other seeds, and delays later ones until the end of this transaction. */
export async function lockSeed(transaction: Transaction): Promise<void> {
  await transaction.query('lock_seed', LOCK, [SEED_LOCK]);
}

const REALM = `
  INSERT INTO realms (subdomain, name, description, created_at) VALUES ($1, $2, $3, $4)
  ON CONFLICT (subdomain) DO NOTHING
  RETURNING id`;

const REALM_CHOICES = `
  UPDATE realms SET can_create_users_group_id = $2, moderation_channel_id = $3 WHERE id = $1`;

const USER = `
  INSERT INTO users (realm_id, delivery_email, email, full_name, role, is_bot, bot_owner_id,
                     is_active, is_presence_enabled, date_joined,
                     password_hash, api_key_hash, api_key_sealed)
  VALUES ($1, $2, $2, $3, $4, $5::int IS NOT NULL, $5, $6, $7, $8, $9, $10, $11)
  RETURNING id`;

const GROUP = `
  INSERT INTO user_groups (realm_id, name, description, creator_id, created_at, deactivated_at)
  VALUES ($1, $2, $3, $4, $5, $6)
  RETURNING id`;

const GROUP_MANAGERS = `
  UPDATE user_groups SET can_add_members_id = $2, can_manage_id = $2 WHERE id = $1`;

const GROUP_MEMBERS = `
  INSERT INTO user_group_members (group_id, user_id) SELECT $1, unnest($2::int[])`;

const SUBGROUPS = `
  INSERT INTO user_group_subgroups (supergroup_id, subgroup_id) SELECT $1, unnest($2::int[])`;

const NAMELESS_GROUP = `
  WITH created AS (INSERT INTO user_groups (realm_id) VALUES ($1) RETURNING id),
  member AS (INSERT INTO user_group_members (group_id, user_id) SELECT id, $2::int FROM created)
  SELECT id FROM created`;

const CHANNEL = `
  INSERT INTO channels (realm_id, name, description, is_private, is_web_public, is_default,
                        creator_id, created_at, archived_at, can_administer_channel_id)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
  RETURNING id`;

const SUBSCRIPTIONS = `
  INSERT INTO subscriptions (channel_id, user_id) SELECT $1, unnest($2::int[])`;

const CONVERSATION = `
  WITH created AS (
    INSERT INTO direct_conversations (realm_id, key) VALUES ($1, $2) RETURNING id
  ), members AS (
    INSERT INTO direct_conversation_members (conversation_id, user_id)
    SELECT id, unnest($3::int[]) FROM created
  )
  SELECT id FROM created`;

const MESSAGE = `
  WITH created AS (
    INSERT INTO messages (realm_id, sender_id, channel_id, conversation_id, topic, content, sent_at)
    VALUES ($1, $2, $3, $4, $5, $6, $7)
    RETURNING id, sender_id
  )
  INSERT INTO user_messages (user_id, message_id, is_read)
  SELECT recipient, id, recipient = sender_id
  FROM created CROSS JOIN unnest($8::int[]) AS recipient`;

// Sending a message sets these columns of its channel; the seed inserts messages without sending them.
const FIRST_MESSAGES = `
  UPDATE channels c SET first_message_id = (SELECT min(id) FROM messages WHERE channel_id = c.id)
  WHERE realm_id = $1`;

const TRAFFIC = `
  INSERT INTO channel_traffic (channel_id, day, messages)
  SELECT channel_id, (sent_at AT TIME ZONE 'UTC')::date, count(*)
  FROM messages WHERE realm_id = $1 AND channel_id IS NOT NULL GROUP BY 1, 2`;

const SNIPPET = `
  INSERT INTO saved_snippets (user_id, title, content, created_at) VALUES ($1, $2, $3, $4)`;

interface IdRow {
  readonly id: number;
}

type Ids = ReadonlyMap<string, number>;

/** Creates the demo organisation in one transaction. */
export class DemoWorldRepository {
  constructor(private readonly database: Database) {}

  /**
   * Creates the organisation if there is no root organisation; resolves with whether it did. `credentialsOf` is called
   * once per account. `now` is the time of the last message.
   */
  async createIfMissing(
    credentialsOf: (name: string) => Promise<StoredCredentials>,
    now: Date,
  ): Promise<boolean> {
    return this.database.transaction(async (transaction) => {
      await lockSeed(transaction);
      const { subdomain, name, description } = demoRealm;
      const values = [subdomain, name, description, demoFoundedAt];
      const [realm] = await transaction.query<IdRow>('seed_realm', REALM, values);
      if (realm === undefined) return false;
      await createWorld(transaction, realm.id, { credentialsOf, now });
      return true;
    });
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
  await transaction.query('seed_realm_choices', REALM_CHOICES, [
    realmId,
    idOf(groupIds, demoRealm.canCreateUsersGroup),
    idOf(channelIds, demoRealm.moderationChannel),
  ]);
  await createMessages(transaction, { realmId, userIds, channelIds, now });
  for (const { owner, title, content } of demoSnippets) {
    const values = [idOf(userIds, owner), title, content, demoFoundedAt];
    await transaction.query('seed_snippet', SNIPPET, values);
  }
}

/** Inserts a row and resolves with its id. */
async function insert(
  transaction: Transaction,
  name: string,
  text: string,
  values: readonly unknown[],
): Promise<number> {
  const [row] = await transaction.query<IdRow>(name, text, values);
  if (row === undefined) throw new Error(`The statement ${name} has inserted nothing.`);
  return row.id;
}

async function createUsers(
  transaction: Transaction,
  realmId: number,
  credentialsOf: Circumstances['credentialsOf'],
): Promise<Ids> {
  const ids = new Map<string, number>();
  for (const user of demoUsers) {
    const email = demoEmail(user.name);
    const { passwordHash, apiKeyHash, apiKeySealed } = await credentialsOf(user.name);
    const id = await insert(transaction, 'seed_user', USER, [
      realmId,
      email,
      user.fullName,
      demoRoles[user.role],
      user.botOwner === undefined ? null : idOf(ids, user.botOwner),
      user.isActive ?? true,
      user.isPresenceEnabled ?? true,
      demoFoundedAt,
      passwordHash,
      apiKeyHash,
      apiKeySealed,
    ]);
    ids.set(user.name, id);
  }
  return ids;
}

async function createGroups(transaction: Transaction, realmId: number, userIds: Ids): Promise<Ids> {
  const ids = new Map(Object.entries(await createSystemGroups(transaction, realmId)));
  for (const { name, description, creator, isDeactivated } of demoGroups) {
    const id = await insert(transaction, 'seed_group', GROUP, [
      realmId,
      name,
      description,
      idOf(userIds, creator),
      demoFoundedAt,
      isDeactivated ? demoFoundedAt : null,
    ]);
    ids.set(name, id);
  }
  for (const { name, creator, members, subgroups } of demoGroups) {
    const id = idOf(ids, name);
    const creatorAlone = await createNamelessGroup(transaction, realmId, idOf(userIds, creator));
    await transaction.query('seed_group_managers', GROUP_MANAGERS, [id, creatorAlone]);
    await transaction.query('seed_group_members', GROUP_MEMBERS, [id, idsOf(userIds, members)]);
    await transaction.query('seed_subgroups', SUBGROUPS, [id, idsOf(ids, subgroups)]);
  }
  return ids;
}

/** A nameless group with one member, like the default permission of a creator. */
const createNamelessGroup = (transaction: Transaction, realmId: number, userId: number) =>
  insert(transaction, 'seed_nameless_group', NAMELESS_GROUP, [realmId, userId]);

async function createChannels(
  transaction: Transaction,
  realmId: number,
  userIds: Ids,
): Promise<Ids> {
  const ids = new Map<string, number>();
  for (const channel of demoChannels) {
    const creatorId = idOf(userIds, channel.creator);
    const id = await insert(transaction, 'seed_channel', CHANNEL, [
      realmId,
      channel.name,
      channel.description,
      channel.kind === 'private',
      channel.kind === 'web-public',
      channel.isDefault ?? false,
      creatorId,
      demoFoundedAt,
      channel.isArchived ? demoFoundedAt : null,
      await createNamelessGroup(transaction, realmId, creatorId),
    ]);
    const subscribers = idsOf(userIds, channel.subscribers);
    await transaction.query('seed_subscriptions', SUBSCRIPTIONS, [id, subscribers]);
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
    const [channelId, conversationId, topic] =
      'people' in place
        ? [null, await conversationOf(transaction, context, place.people, conversations), '']
        : [idOf(channelIds, place.channel), null, place.topic];
    await transaction.query('seed_message', MESSAGE, [
      realmId,
      idOf(userIds, sender),
      channelId,
      conversationId,
      topic,
      content,
      new Date(now.getTime() - minutesAgo * MINUTE_MS),
      idsOf(userIds, recipients),
    ]);
  }
  await transaction.query('seed_first_messages', FIRST_MESSAGES, [realmId]);
  await transaction.query('seed_traffic', TRAFFIC, [realmId]);
}

const subscribersOf = (channelName: string): readonly string[] =>
  demoChannels.find(({ name }) => name === channelName)?.subscribers ?? [];

async function conversationOf(
  transaction: Transaction,
  { realmId, userIds }: MessageContext,
  people: readonly string[],
  known: Map<string, number>,
): Promise<number> {
  const members = idsOf(userIds, people).toSorted((a, b) => a - b);
  const key = members.join(',');
  const earlier = known.get(key);
  if (earlier !== undefined) return earlier;
  const id = await insert(transaction, 'seed_conversation', CONVERSATION, [realmId, key, members]);
  known.set(key, id);
  return id;
}

const idsOf = (ids: Ids, names: readonly string[]): number[] =>
  names.map((name) => idOf(ids, name));

function idOf(ids: Ids, name: string): number {
  const id = ids.get(name);
  if (id === undefined) throw new Error(`The demo world uses "${name}" before its definition.`);
  return id;
}
