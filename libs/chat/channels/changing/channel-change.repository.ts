import { Injectable } from '@nestjs/common';
import type { Transaction } from '#platform/database';
import { channelPermissions, columnOfPermission } from '../channel-access.rules.js';
import { CHANNEL_COLUMNS, type StoredChannel } from '../channel.repository.js';

// Messages of the channel wait: they read its state and change its row.
const LOCK = `
  SELECT FROM channels c WHERE c.realm_id = $1 AND c.id = $2 FOR NO KEY UPDATE`;

const STORE = `
  UPDATE channels c SET name = $2, description = $3, is_private = $4, is_history_public = $5,
    message_retention_days = $6, topics_policy = $7, folder_id = $8, is_default = $9, archived_at = $10,
    is_web_public = $11, is_pushed_by_default = $12,
    ${channelPermissions.map((permission, index) => `${columnOfPermission(permission)} = $${index + 13}`).join(', ')}
  WHERE c.id = $1
  RETURNING ${CHANNEL_COLUMNS}`;

const SELECT_UNHELD = `
  SELECT unnest($2::int[]) AS id
  EXCEPT
  SELECT unnest(held.ids) FROM channels c, LATERAL (
    SELECT ARRAY[${channelPermissions.map((permission) => `c.${columnOfPermission(permission)}`).join(', ')}] AS ids
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
    await transaction.query('store_channel', STORE, [
      channel.id,
      channel.name,
      channel.description,
      channel.isPrivate,
      channel.isHistoryPublic,
      channel.messageRetentionDays,
      channel.topicsPolicy,
      channel.folderId,
      channel.isDefault,
      channel.archivedAt,
      channel.isWebPublic,
      channel.isPushedByDefault,
      ...channelPermissions.map((permission) => channel[permission]),
    ]);
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
