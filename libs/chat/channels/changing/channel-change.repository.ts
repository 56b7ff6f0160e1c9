import { Injectable } from '@nestjs/common';
import type { Transaction } from '#platform/database';
import { channelPermissions } from '../channel-permission-table.rules.js';
import { propertyFields } from '../channel-property-table.rules.js';
import { CHANNEL_COLUMNS, columnOf, type StoredChannel } from '../channel.repository.js';

// Messages of the channel wait: they read its state and change its row.
const LOCK = `
  SELECT FROM channels c WHERE c.realm_id = $1 AND c.id = $2 FOR NO KEY UPDATE`;

/** The members of the row that requests can change. */
const CHANGEABLE = [
  'name',
  'description',
  'isPrivate',
  'isWebPublic',
  'isHistoryPublic',
  'archivedAt',
  ...propertyFields,
  ...channelPermissions,
] as const;

const STORE = `
  UPDATE channels c SET
    ${CHANGEABLE.map((field, index) => `${columnOf(field)} = $${index + 2}`).join(', ')}
  WHERE c.id = $1
  RETURNING ${CHANNEL_COLUMNS}`;

const SELECT_UNHELD = `
  SELECT unnest($2::int[]) AS id
  EXCEPT
  SELECT unnest(held.ids) FROM channels c, LATERAL (
    SELECT ARRAY[${channelPermissions.map((permission) => `c.${columnOf(permission)}`).join(', ')}] AS ids
  ) AS held
  WHERE c.realm_id = $1 AND held.ids && $2::int[]`;

const IS_TAKEN = `
  SELECT FROM channels WHERE realm_id = $1 AND name_key(name) = name_key($3) AND id <> $2 LIMIT 1`;

const IS_FOR_REPORTS = `SELECT FROM realms WHERE id = $1 AND moderation_channel_id = $2`;

const HAS_TOPICS = `SELECT FROM messages WHERE channel_id = $1 AND lower(topic) > '' LIMIT 1`;

/** Changes the rows of channels, under the lock of `lockSubscriptions`. */
@Injectable()
export class ChannelChangeRepository {
  /** Holds a channel until the end of the transaction; an unknown one has no effect. */
  async lock(transaction: Transaction, realmId: number, channelId: number): Promise<void> {
    await transaction.query('lock_channel', LOCK, [realmId, channelId]);
  }

  /** Whether another channel has the name or one with the same key. */
  async isTaken(
    transaction: Transaction,
    { realmId, id }: StoredChannel,
    name: string,
  ): Promise<boolean> {
    const rows = await transaction.query('is_channel_name_taken', IS_TAKEN, [realmId, id, name]);
    return rows.length > 0;
  }

  /** Whether reports of messages are sent to the channel. */
  async isForReports(transaction: Transaction, { realmId, id }: StoredChannel): Promise<boolean> {
    const rows = await transaction.query('is_for_reports', IS_FOR_REPORTS, [realmId, id]);
    return rows.length > 0;
  }

  /** Whether messages of the channel have another topic than the empty one. */
  async hasTopics(transaction: Transaction, { id }: StoredChannel): Promise<boolean> {
    return (await transaction.query('channel_has_topics', HAS_TOPICS, [id])).length > 0;
  }

  /** Stores the properties of a locked channel that requests can change. */
  async store(transaction: Transaction, channel: StoredChannel): Promise<void> {
    const values = CHANGEABLE.map((field) => channel[field]);
    await transaction.query('store_channel', STORE, [channel.id, ...values]);
  }

  /** Those of the groups that hold no permission of a channel, archived channels included. */
  async unheld(
    transaction: Transaction,
    realmId: number,
    groupIds: readonly number[],
  ): Promise<number[]> {
    const values = [realmId, groupIds];
    const rows = await transaction.query<{ id: number }>('unheld_groups', SELECT_UNHELD, values);
    return rows.map(({ id }) => id);
  }
}
