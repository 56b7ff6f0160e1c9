import { Injectable } from '@nestjs/common';
import type { Emoji, EmojiType } from '#chat/emoji';
import { Database, lockList, type Session, type Transaction } from '#platform/database';

/** A user's status; null for a part that is not set. */
interface UserStatus {
  readonly text: string | null;
  readonly emoji: Emoji | null;
}

/** New values for the parts that change; null removes a part, a missing part stays unchanged. */
export interface StatusChange {
  readonly text?: string | null;
  readonly emoji?: Emoji | null;
  /** UNIX seconds. A change of another part without it removes the end. */
  readonly endsAt?: number | null;
}

/** A status that may end by itself. */
export interface EndingStatus {
  /** UNIX seconds; null: it stays. */
  readonly endsAt: number | null;
}

/** A status as other users see it. */
export interface VisibleStatus extends UserStatus {
  /** Whether the user does not share their presence. */
  readonly isAway: boolean;
}

interface StatusRow {
  readonly text: string;
  readonly emojiName: string;
  readonly emojiCode: string;
  readonly reactionType: EmojiType;
  readonly endsAt?: number | null;
}

const COLUMNS = `
  text, emoji_name AS "emojiName", emoji_code AS "emojiCode", reaction_type AS "reactionType",
  extract(epoch FROM expires_at)::float8 AS "endsAt"`;

const READ = `SELECT ${COLUMNS} FROM user_statuses WHERE user_id = $1`;

// A null parameter keeps the stored value.
const CHANGE = `
  INSERT INTO user_statuses AS kept
    (user_id, text, emoji_name, emoji_code, reaction_type, expires_at, updated_at)
  VALUES (
    $1, coalesce($2, ''), coalesce($3, ''), coalesce($4, ''), coalesce($5, 'unicode_emoji'),
    to_timestamp($6::float8), now()
  )
  ON CONFLICT (user_id) DO UPDATE
  SET text = coalesce($2, kept.text),
      emoji_name = coalesce($3, kept.emoji_name),
      emoji_code = coalesce($4, kept.emoji_code),
      reaction_type = coalesce($5, kept.reaction_type),
      expires_at = to_timestamp($6::float8),
      updated_at = now()
  RETURNING ${COLUMNS}`;

const IS_OVER = `SELECT expires_at <= now() AS "isOver" FROM user_statuses WHERE user_id = $1`;

const EXPIRED = `
  SELECT status.user_id AS "userId", account.realm_id AS "realmId"
  FROM user_statuses status JOIN users account ON account.id = status.user_id
  WHERE status.expires_at <= now() ORDER BY status.expires_at LIMIT $1`;

// Without a limit of ids, all active accounts of the organisation.
const LIST = `
  SELECT u.id AS "userId", NOT u.is_presence_enabled AS "isAway",
    coalesce(s.text, '') AS text, coalesce(s.emoji_name, '') AS "emojiName",
    coalesce(s.emoji_code, '') AS "emojiCode", coalesce(s.reaction_type, '') AS "reactionType"
  FROM users u LEFT JOIN user_statuses s ON s.user_id = u.id
  WHERE u.realm_id = $1 AND u.is_active AND ($2::int[] IS NULL OR u.id = ANY($2::int[]))
    AND (NOT u.is_presence_enabled OR s.text <> '' OR s.emoji_name <> '')
  ORDER BY u.id`;

/** The stored values without an emoji. */
export const noEmoji = { name: '', code: '', type: 'unicode_emoji' } as const satisfies Emoji;

/** The statuses of accounts: a text and an emoji, each of which may be empty. */
@Injectable()
export class UserStatusRepository {
  constructor(private readonly database: Database) {}

  /**
   * Changes a status, and resolves with the parts that have another value then. Blocks other changes of the status until
   * the end of the transaction.
   */
  async change(
    transaction: Transaction,
    userId: number,
    { text, emoji, endsAt }: StatusChange,
  ): Promise<StatusChange> {
    await lockList(transaction, { table: 'user_statuses' }, userId);
    const before = toStatus((await transaction.query<StatusRow>('status', READ, [userId]))[0]);
    const given = emoji === undefined ? null : (emoji ?? noEmoji);
    const [row] = await transaction.query<StatusRow>('change_user_status', CHANGE, [
      userId,
      text === undefined ? null : (text ?? ''),
      given?.name ?? null,
      given?.code ?? null,
      given?.type ?? null,
      endsAt ?? null,
    ]);
    // The stored text may differ from the given one: PostgreSQL has no unpaired surrogates.
    const after = toStatus(row);
    return {
      ...(after.text !== before.text && { text: after.text }),
      ...(!isSameEmoji(after.emoji, before.emoji) && { emoji: after.emoji }),
    };
  }

  /** A user without a stored status has a status without parts. */
  async find(userId: number): Promise<UserStatus & EndingStatus> {
    const [row] = await this.database.query<StatusRow>('status', READ, [userId]);
    return { ...toStatus(row), endsAt: row?.endsAt ?? null };
  }

  /** Accounts whose status has ended, at most `limit`. */
  async expired(limit: number): Promise<{ readonly userId: number; readonly realmId: number }[]> {
    return this.database.query('expired_statuses', EXPIRED, [limit]);
  }

  /** Removes a status, unless it has another end by now. Resolves with the parts that have another value then. */
  async expire(transaction: Transaction, userId: number): Promise<StatusChange> {
    await lockList(transaction, { table: 'user_statuses' }, userId);
    const [row] = await transaction.query<{ readonly isOver: boolean | null }>(
      'ending_status',
      IS_OVER,
      [userId],
    );
    return row?.isOver === true
      ? this.change(transaction, userId, { text: null, emoji: null })
      : {};
  }

  /**
   * The statuses of an organisation's active accounts that have a part or do not share presence, in the order of the accounts;
   * with `userIds` only those.
   */
  async list(
    session: Session,
    realmId: number,
    userIds: readonly number[] | null,
  ): Promise<(VisibleStatus & { readonly userId: number })[]> {
    const values = [realmId, userIds];
    const rows = await session.query<StatusRow & { userId: number; isAway: boolean }>(
      'statuses_of_realm',
      LIST,
      values,
    );
    return rows.map((row) => ({ userId: row.userId, isAway: row.isAway, ...toStatus(row) }));
  }
}

const isSameEmoji = (left: Emoji | null, right: Emoji | null): boolean =>
  left?.name === right?.name && left?.code === right?.code && left?.type === right?.type;

function toStatus(row: StatusRow | undefined): UserStatus {
  if (row === undefined) return { text: null, emoji: null };
  const { text, emojiName: name, emojiCode: code, reactionType: type } = row;
  return { text: text === '' ? null : text, emoji: name === '' ? null : { name, code, type } };
}
