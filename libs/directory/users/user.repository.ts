import { Injectable } from '@nestjs/common';
import { Database, type Prisma, type Session } from '#platform/database';
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

const columns = {
  id: true,
  realmId: true,
  fullName: true,
  email: true,
  deliveryEmail: true,
  role: true,
  isBot: true,
  botOwnerId: true,
  isSystemBot: true,
  isActive: true,
  isPresenceEnabled: true,
  timezone: true,
  dateJoined: true,
} as const satisfies Prisma.UserSelect;

/** By the sign-in address if the viewer may see it, else by the visible address. */
const FIND_BY_EMAIL = `
  (SELECT id FROM users
   WHERE realm_id = $1 AND lower(delivery_email) = lower($2)
     AND (email = delivery_email OR $4 OR id = $3))
  UNION ALL
  (SELECT id FROM users WHERE realm_id = $1 AND lower(email) = lower($2))
  LIMIT 1`;

const RENAME = `UPDATE users SET full_name = $2, updated_at = now() WHERE id = $1`;

const NEWEST_MESSAGE = `
  SELECT max(message_id)::bigint AS id FROM user_messages WHERE user_id = $1 AND NOT is_historical`;

/** The account that searches. */
interface Viewer {
  readonly userId: number;
  readonly isAdministrator: boolean;
}

@Injectable()
export class UserRepository {
  constructor(private readonly database: Database) {}

  /** An account of the organisation or a system bot; null for an unknown id. */
  async find(realmId: number, userId: number): Promise<User | null> {
    return this.database.prisma.user.findFirst({
      where: { id: userId, OR: [{ realmId }, { isSystemBot: true }] },
      select: columns,
    });
  }

  /** The accounts of the organisation in the order of their ids; with `userIds` only those. */
  async list(realmId: number, userIds?: readonly number[]): Promise<User[]> {
    return this.database.prisma.user.findMany({
      where: { realmId, ...(userIds !== undefined && { id: { in: [...userIds] } }) },
      select: columns,
      orderBy: { id: 'asc' },
    });
  }

  /** The id of the organisation's account with an address that the viewer may see; null if none has it. */
  async findIdByEmail(realmId: number, email: string, viewer: Viewer): Promise<number | null> {
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

  /** False, without a change, if the organisation requires unique names and another account has the name. */
  async rename(
    { realmId, userId }: { readonly realmId: number; readonly userId: number },
    fullName: string,
    session: Session = this.database,
  ): Promise<boolean> {
    return session.transaction(async (transaction) => {
      const { requiresUniqueNames } = await lockNames(transaction, realmId);
      const isFree =
        !requiresUniqueNames || (await isNameFree(transaction, { realmId, fullName, userId }));
      if (isFree) await transaction.query('rename_account', RENAME, [userId, fullName]);
      return isFree;
    });
  }
}
