import { Injectable } from '@nestjs/common';
import type { Transaction } from '#platform/database';

/** The channels with a task in an organisation: the columns by the names of the settings. */
const columns = {
  moderation_request_channel_id: 'moderation_channel_id',
  new_stream_announcements_stream_id: 'announcement_channel_id',
} as const;

/** The name of a setting that names a channel. */
export type RealmChannelSetting = keyof typeof columns;

/** The channel for messages about new channels. */
interface AnnouncementChannel {
  readonly id: number;
  /** Of the channel itself. */
  readonly topicsPolicy: string;
}

export const realmChannelSettings = Object.keys(columns) as readonly RealmChannelSetting[];

const FIND = `
  SELECT is_private AS "isPrivate" FROM channels
  WHERE realm_id = $1 AND id = $2 AND archived_at IS NULL`;

const setSql = (column: string) =>
  `UPDATE realms SET ${column} = $2 WHERE id = $1 AND ${column} IS DISTINCT FROM $2 RETURNING id`;

const clearSql = (column: string) =>
  `UPDATE realms SET ${column} = NULL WHERE id = $1 AND ${column} = $2 RETURNING id`;

const ANNOUNCEMENTS = `
  SELECT c.id, c.topics_policy AS "topicsPolicy"
  FROM realms r JOIN channels c ON c.id = r.announcement_channel_id AND c.realm_id = r.id
  WHERE r.id = $1 AND c.archived_at IS NULL`;

const SENDS_EVENTS = `SELECT sends_channel_events AS "isOn" FROM realms WHERE id = $1`;

/** Stores which channels of an organisation have a task, under the lock of `lockSubscriptions`. */
@Injectable()
export class RealmChannelRepository {
  /** The channel for messages about new channels; null for an organisation without one. */
  async announcements(
    transaction: Transaction,
    realmId: number,
  ): Promise<AnnouncementChannel | null> {
    const rows = transaction.query<AnnouncementChannel>('announcements', ANNOUNCEMENTS, [realmId]);
    return (await rows)[0] ?? null;
  }

  /** Whether changes of channels are told in them. */
  async sendsEvents(transaction: Transaction, realmId: number): Promise<boolean> {
    const values = [realmId];
    const [row] = await transaction.query<{ isOn: boolean }>(
      'channel_events',
      SENDS_EVENTS,
      values,
    );
    return row?.isOn !== false;
  }

  /** Null for an unknown or archived channel. */
  async find(
    transaction: Transaction,
    realmId: number,
    channelId: number,
  ): Promise<{ readonly isPrivate: boolean } | null> {
    const values = [realmId, channelId];
    const rows = transaction.query<{ isPrivate: boolean }>('find_task_channel', FIND, values);
    return (await rows)[0] ?? null;
  }

  /** Sets the channel of a setting, or none. False when it was so already. */
  async set(
    transaction: Transaction,
    realmId: number,
    setting: RealmChannelSetting,
    channelId: number | null,
  ): Promise<boolean> {
    const column = columns[setting];
    const values = [realmId, channelId];
    return (await transaction.query(`set_${column}`, setSql(column), values)).length > 0;
  }

  /** Ends the tasks of a channel and resolves with their settings. */
  async clear(
    transaction: Transaction,
    realmId: number,
    channelId: number,
  ): Promise<RealmChannelSetting[]> {
    const cleared: RealmChannelSetting[] = [];
    for (const setting of realmChannelSettings) {
      const column = columns[setting];
      const values = [realmId, channelId];
      const rows = await transaction.query(`clear_${column}`, clearSql(column), values);
      if (rows.length > 0) cleared.push(setting);
    }
    return cleared;
  }
}
