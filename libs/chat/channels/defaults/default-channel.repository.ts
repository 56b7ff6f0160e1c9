import { Injectable } from '@nestjs/common';
import { lockAndCheckRoom, lockList, type Session, type Transaction } from '#platform/database';

// A repetition changes nothing: `isNew` is false then.
const ADD = `
  UPDATE channels SET is_default = true FROM (SELECT is_default FROM channels WHERE id = $1) AS before
  WHERE id = $1 AND NOT is_private AND archived_at IS NULL
  RETURNING NOT before.is_default AS "isNew"`;

const IS_DEFAULT = `SELECT FROM channels WHERE id = $1 AND is_default AND archived_at IS NULL`;

const REMOVE = `UPDATE channels SET is_default = false WHERE id = $1 AND is_default`;

// Without private channels, whose ids not everyone may know.
const LIST = `
  SELECT id FROM channels
  WHERE realm_id = $1 AND is_default AND NOT is_private AND archived_at IS NULL
  ORDER BY id`;

const SUBSCRIBE = `
  INSERT INTO subscriptions (channel_id, user_id, push_notifications)
  SELECT id, $2::int, CASE WHEN is_pushed_by_default THEN true END FROM channels
  WHERE realm_id = $1 AND is_default AND archived_at IS NULL
  ON CONFLICT DO NOTHING`;

const defaultsOfRealm = { table: 'channels', owner: 'realm_id', where: 'is_default' } as const;

/**
 * The channels that new accounts are subscribed to. A change blocks other changes of the same organisation until the end of
 * its transaction, so that a list that is read after the change is the list at the commit.
 */
@Injectable()
export class DefaultChannelRepository {
  /** The ids of the default channels of an organisation in ascending order. */
  async list(session: Session, realmId: number): Promise<number[]> {
    const rows = await session.query<{ id: number }>('default_channels', LIST, [realmId]);
    return rows.map(({ id }) => id);
  }

  /** `not possible` for a private or archived channel, `list is full` beyond `limit`. */
  async add(
    transaction: Transaction,
    realmId: number,
    channelId: number,
    limit: number,
  ): Promise<'added' | 'known' | 'not possible' | 'list is full'> {
    if (!(await lockAndCheckRoom(transaction, defaultsOfRealm, realmId, limit))) {
      const known = await transaction.query('is_default_channel', IS_DEFAULT, [channelId]);
      return known.length > 0 ? 'known' : 'list is full';
    }
    const [row] = await transaction.query<{ isNew: boolean }>('add_default_channel', ADD, [
      channelId,
    ]);
    if (row === undefined) return 'not possible';
    return row.isNew ? 'added' : 'known';
  }

  /** Whether the list can take this number of further channels; blocks other changes like `add`. */
  hasRoomFor(
    transaction: Transaction,
    realmId: number,
    count: number,
    limit: number,
  ): Promise<boolean> {
    if (count > limit) return Promise.resolve(false);
    return lockAndCheckRoom(transaction, defaultsOfRealm, realmId, limit - count + 1);
  }

  /** Changes nothing for a channel that is not a default channel. */
  async remove(transaction: Transaction, realmId: number, channelId: number): Promise<void> {
    await lockList(transaction, defaultsOfRealm, realmId);
    await transaction.query('remove_default_channel', REMOVE, [channelId]);
  }
}

/**
 * Subscribes a new account to the organisation's default channels, except archived ones, in the transaction that
 * creates the account: one statement for all channels. An existing subscription stays as it is.
 */
export async function subscribeToDefaultChannels(
  transaction: Transaction,
  realmId: number,
  userId: number,
): Promise<void> {
  await transaction.query('subscribe_to_defaults', SUBSCRIBE, [realmId, userId]);
}
