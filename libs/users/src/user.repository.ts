import { Injectable } from '@nestjs/common';
import { Database, type Prisma } from '#database';

/** An account, as the rest of the server speaks of it. */
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

/** The address that signs in, where it may be known, and then the visible one. */
const FIND_BY_EMAIL = `
  (SELECT id FROM users
   WHERE realm_id = $1 AND lower(delivery_email) = lower($2)
     AND (email = delivery_email OR $4 OR id = $3))
  UNION ALL
  (SELECT id FROM users WHERE realm_id = $1 AND lower(email) = lower($2))
  LIMIT 1`;

const NEWEST_MESSAGE = `SELECT max(message_id)::bigint AS id FROM user_messages WHERE user_id = $1`;

/** Who looks for an account. */
interface Viewer {
  readonly userId: number;
  readonly isAdministrator: boolean;
}

@Injectable()
export class UserRepository {
  constructor(private readonly database: Database) {}

  /** An account of the organisation, or one of the server's own bots; null when there is none. */
  async find(realmId: number, userId: number): Promise<User | null> {
    return this.database.prisma.user.findFirst({
      where: { id: userId, OR: [{ realmId }, { isSystemBot: true }] },
      select: columns,
    });
  }

  /** The accounts of the organisation, in the order of their ids; of those ids only, where some are given. */
  async list(realmId: number, userIds?: readonly number[]): Promise<User[]> {
    return this.database.prisma.user.findMany({
      where: { realmId, ...(userIds !== undefined && { id: { in: [...userIds] } }) },
      select: columns,
      orderBy: { id: 'asc' },
    });
  }

  /** The id of the organisation's account with an address that the viewer is told; null when there is none. */
  async findIdByEmail(realmId: number, email: string, viewer: Viewer): Promise<number | null> {
    const [row] = await this.database.query<{ id: number }>('user_by_email', FIND_BY_EMAIL, [
      realmId,
      email,
      viewer.userId,
      viewer.isAdministrator,
    ]);
    return row?.id ?? null;
  }

  /** The id of the newest message that an account was sent; null when there is none. */
  async newestMessageOf(userId: number): Promise<number | null> {
    const [row] = await this.database.query<{ id: number | null }>(
      'newest_message',
      NEWEST_MESSAGE,
      [userId],
    );
    return row?.id ?? null;
  }
}
