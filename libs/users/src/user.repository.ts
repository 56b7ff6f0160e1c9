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
}
