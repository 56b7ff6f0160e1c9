import { Injectable } from '@nestjs/common';
import { Database, type Session, type Transaction } from '#platform/database';
import { isNameFree, lockNames } from './full-name.repository.js';

/** An account. */
export interface User {
  readonly id: number;
  readonly realmId: number;
  readonly fullName: string;
  /** The address that other users see. */
  readonly email: string;
  readonly deliveryEmail: string;
  readonly role: number;
  readonly isBot: boolean;
  readonly botOwnerId: number | null;
  readonly isSystemBot: boolean;
  readonly isActive: boolean;
  readonly isPresenceEnabled: boolean;
  readonly timezone: string;
  readonly dateJoined: Date;
}

/** The columns of a User in SQL. */
export const USER_COLUMNS = `
  id, realm_id AS "realmId", full_name AS "fullName", email, delivery_email AS "deliveryEmail", role,
  is_bot AS "isBot", bot_owner_id AS "botOwnerId", is_system_bot AS "isSystemBot",
  is_active AS "isActive", is_presence_enabled AS "isPresenceEnabled", timezone,
  date_joined AS "dateJoined"`;

const FIND = `
  SELECT ${USER_COLUMNS} FROM users WHERE id = $1 AND (realm_id = $2 OR is_system_bot)`;

const LIST = `SELECT ${USER_COLUMNS} FROM users WHERE realm_id = $1 ORDER BY id`;

const LIST_SOME = `
  SELECT ${USER_COLUMNS} FROM users WHERE realm_id = $1 AND id = ANY($2::int[]) ORDER BY id`;

const BOTS_OF = `SELECT id FROM users WHERE bot_owner_id = $1 ORDER BY id`;

/** By the sign-in address if the viewer may see it, else by the visible address. */
const FIND_BY_EMAIL = `
  (SELECT id FROM users
   WHERE realm_id = $1 AND lower(delivery_email) = lower($2)
     AND (email = delivery_email OR $4 OR id = $3))
  UNION ALL
  (SELECT id FROM users WHERE realm_id = $1 AND lower(email) = lower($2))
  LIMIT 1`;

const RENAME = `
  UPDATE users SET full_name = $2, updated_at = now() WHERE id = $1 AND full_name <> $2 RETURNING id`;

const JOIN = `
  UPDATE users SET date_joined = date_trunc('milliseconds', now()), awaits_sign_in = false
  WHERE id = $1 AND awaits_sign_in
  RETURNING date_joined AS "joinedAt"`;

const NEWEST_MESSAGE = `
  SELECT max(message_id)::bigint AS id FROM user_messages WHERE user_id = $1 AND NOT is_historical`;

/** Reads the accounts of organisations, and renames them. */
@Injectable()
export class UserRepository {
  constructor(private readonly database: Database) {}

  /** An account of the organisation or a system bot; null for an unknown id. */
  async find(
    realmId: number,
    userId: number,
    session: Session = this.database,
  ): Promise<User | null> {
    const [user] = await session.query<User>('user', FIND, [userId, realmId]);
    return user ?? null;
  }

  /** The accounts of the organisation in the order of their ids; with `userIds` only those. */
  async list(
    realmId: number,
    userIds?: readonly number[],
    session: Session = this.database,
  ): Promise<User[]> {
    return userIds === undefined
      ? session.query<User>('users', LIST, [realmId])
      : session.query<User>('some_users', LIST_SOME, [realmId, userIds]);
  }

  /** The ids of the bots that an account owns, deactivated ones included, in ascending order. */
  async botIdsOf(userId: number, session: Session): Promise<number[]> {
    const rows = await session.query<{ id: number }>('bots_of_user', BOTS_OF, [userId]);
    return rows.map(({ id }) => id);
  }

  /** The id of the organisation's account with an address that the viewer may see; null if none has it. */
  async findIdByEmail(
    realmId: number,
    email: string,
    viewer: { readonly userId: number; readonly isAdministrator: boolean },
  ): Promise<number | null> {
    const [row] = await this.database.query<{ id: number }>('user_by_email', FIND_BY_EMAIL, [
      realmId,
      email,
      viewer.userId,
      viewer.isAdministrator,
    ]);
    return row?.id ?? null;
  }

  /** The id of the newest message that an account has received; null without messages. */
  async newestMessageOf(userId: number): Promise<number | null> {
    const [row] = await this.database.query<{ id: number | null }>(
      'newest_message',
      NEWEST_MESSAGE,
      [userId],
    );
    return row?.id ?? null;
  }

  /** Lets an account that awaits its first sign-in join now. Null for another one. */
  async join(transaction: Transaction, userId: number): Promise<Date | null> {
    const [row] = await transaction.query<{ joinedAt: Date }>('join_account', JOIN, [userId]);
    return row?.joinedAt ?? null;
  }

  /** `taken`, without a change, if the organisation requires unique names and another account has the name. */
  async rename(
    transaction: Transaction,
    { realmId, userId }: { readonly realmId: number; readonly userId: number },
    fullName: string,
  ): Promise<'renamed' | 'unchanged' | 'taken'> {
    const { requiresUniqueNames } = await lockNames(transaction, realmId);
    const isFree =
      !requiresUniqueNames || (await isNameFree(transaction, { realmId, fullName, userId }));
    if (!isFree) return 'taken';
    const renamed = await transaction.query('rename_account', RENAME, [userId, fullName]);
    return renamed.length > 0 ? 'renamed' : 'unchanged';
  }
}
