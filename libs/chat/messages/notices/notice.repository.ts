import { Injectable } from '@nestjs/common';
import { VisibleUsersRepository } from '#directory/guest-access';
import { storableJson } from '#events/log';
import { Database, type Session, type Transaction } from '#platform/database';
import type { MessagePlace } from '../sending/new-message.rules.js';

/** A message of the notification bot about a change. */
export interface Notice {
  readonly place: MessagePlace;
  /** Markdown. */
  readonly content: string;
  /** Whether it causes no push notification. */
  readonly isSilent?: boolean;
  /** Whether only accounts that follow the topic get it as unread. */
  readonly isForFollowers?: boolean;
}

/** The account that has made a change, as notices name it. */
interface Actor {
  readonly id: number;
  readonly fullName: string;
  /** Whether guests of its organisation see only some accounts. */
  readonly areGuestsLimited: boolean;
}

/** A notice that has not been sent. */
export interface NoticeRow extends Required<Notice> {
  readonly id: number;
  /** The account that has made the change. */
  readonly userId: number;
}

const COLUMNS =
  'id::bigint, user_id AS "userId", place, content, is_silent AS "isSilent", ' +
  'is_for_followers AS "isForFollowers"';

const ACTOR = `
  SELECT u.id, u.full_name AS "fullName",
    realm.can_access_all_users_group_id IS NOT NULL AS "areGuestsLimited"
  FROM users u JOIN realms realm ON realm.id = u.realm_id WHERE u.id = $1`;

const CHANNELS_OF = `
  SELECT channel_id AS id FROM subscriptions
  WHERE user_id = $1 AND is_active AND channel_id = ANY($2::int[])`;

const ADD = `
  INSERT INTO notices (user_id, place, content, is_silent, is_for_followers, due_at)
  SELECT $1, notice->'place', notice->>'content', coalesce((notice->>'isSilent')::boolean, false),
    coalesce((notice->>'isForFollowers')::boolean, false),
    now() + $3 * interval '1 millisecond'
  FROM jsonb_array_elements($2::jsonb) WITH ORDINALITY AS list (notice, number)
  ORDER BY number
  RETURNING ${COLUMNS}`;

// The lease: other processes skip the notices until then, and take them over if this process dies.
const LEASE = `
  UPDATE notices SET due_at = now() + $2 * interval '1 millisecond'
  FROM (
    SELECT id AS due_id FROM notices WHERE due_at <= now()
    ORDER BY due_at, id LIMIT $1 FOR UPDATE SKIP LOCKED
  ) AS due
  WHERE id = due_id
  RETURNING ${COLUMNS}`;

const REMOVE = 'DELETE FROM notices WHERE id = $1::bigint RETURNING 1';

/** The notices that have not been sent. */
@Injectable()
export class NoticeRepository {
  constructor(
    private readonly database: Database,
    private readonly visibleUsers: VisibleUsersRepository,
  ) {}

  /** The account with its present name. Rejects with an Error for an unknown id. */
  async actor(transaction: Transaction, userId: number): Promise<Actor> {
    const [actor] = await transaction.query<Actor>('actor_of_notices', ACTOR, [userId]);
    if (actor === undefined) throw new Error(`There is no account ${userId}`);
    return actor;
  }

  /** For each place, whether all guests among its readers see an account, now and later: two statements. */
  async placesSeeing(
    transaction: Transaction,
    userId: number,
    places: readonly MessagePlace[],
  ): Promise<boolean[]> {
    const channelIds = places.flatMap((place) => ('channelId' in place ? [place.channelId] : []));
    const rows = await transaction.query<{ id: number }>('channels_of_actor', CHANNELS_OF, [
      userId,
      channelIds,
    ]);
    const channels = new Set(rows.map(({ id }) => id));
    const pairs = places.flatMap((place) =>
      'channelId' in place ? [] : place.userIds.map((viewerId) => ({ viewerId, otherId: userId })),
    );
    const hidden = await this.visibleUsers.hiddenAmong(pairs, transaction);
    const blind = new Set(hidden.map(({ viewerId }) => viewerId));
    return places.map((place) =>
      'channelId' in place
        ? channels.has(place.channelId)
        : place.userIds.every((id) => !blind.has(id)),
    );
  }

  /** Adds notices about a change of an account in its transaction. Other processes do not get them during the lease. */
  async add(
    transaction: Transaction,
    userId: number,
    notices: readonly Notice[],
    milliseconds: number,
  ): Promise<NoticeRow[]> {
    const values = [userId, storableJson(notices), milliseconds];
    return transaction.query<NoticeRow>('add_notices', ADD, values);
  }

  /** Takes some notices whose lease is over, in the order of their changes. */
  async lease(most: number, milliseconds: number): Promise<NoticeRow[]> {
    const values = [most, milliseconds];
    const leased = await this.database.query<NoticeRow>('lease_notices', LEASE, values);
    return leased.toSorted((one, other) => one.id - other.id);
  }

  /** False for a notice that has been sent meanwhile. */
  async remove(id: number, session: Session = this.database): Promise<boolean> {
    return (await session.query('remove_notice', REMOVE, [id])).length > 0;
  }
}
