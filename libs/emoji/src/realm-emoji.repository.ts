import { Injectable } from '@nestjs/common';
import { Database, hasRoom, type Prisma } from '#database';

/** An emoji that an organisation uploaded. */
export interface RealmEmoji {
  readonly id: number;
  readonly name: string;
  readonly authorId: number | null;
  readonly fileKey: string;
  readonly isDeactivated: boolean;
}

/** One that is still to be stored. */
export interface NewRealmEmoji {
  readonly realmId: number;
  readonly name: string;
  readonly authorId: number;
  readonly fileKey: string;
}

const columns = {
  id: true,
  name: true,
  authorId: true,
  fileKey: true,
  isDeactivated: true,
} as const satisfies Prisma.RealmEmojiSelect;

const ADD = `
  INSERT INTO realm_emoji (realm_id, name, author_id, file_key) VALUES ($1, $2, $3, $4)
  ON CONFLICT DO NOTHING
  RETURNING id`;

/** Deactivated ones count: statuses may have them, and lists show them. */
const emojiOfRealm = { table: 'realm_emoji', owner: 'realm_id' } as const;

@Injectable()
export class RealmEmojiRepository {
  constructor(private readonly database: Database) {}

  /** All of an organisation, deactivated ones too, in the order of their ids. */
  async list(realmId: number): Promise<RealmEmoji[]> {
    return this.database.prisma.realmEmoji.findMany({
      where: { realmId },
      select: columns,
      orderBy: { id: 'asc' },
    });
  }

  /** One of an organisation, deactivated or not; null when there is none. */
  async find(realmId: number, id: number): Promise<RealmEmoji | null> {
    return this.database.prisma.realmEmoji.findFirst({ where: { realmId, id }, select: columns });
  }

  /** The active one of a name; null when there is none. */
  async findActive(realmId: number, name: string): Promise<RealmEmoji | null> {
    return this.database.prisma.realmEmoji.findFirst({
      where: { realmId, name, isDeactivated: false },
      select: columns,
    });
  }

  /** Whether one of an organisation, deactivated or not, has a picture. */
  async hasPicture(realmId: number, fileKey: string): Promise<boolean> {
    const where = { realmId, fileKey };
    return (await this.database.prisma.realmEmoji.count({ where })) > 0;
  }

  /** Refused when an active one has the name, and when the organisation has `limit` emoji. */
  async add(
    emoji: NewRealmEmoji,
    limit: number,
  ): Promise<'added' | 'name is taken' | 'list is full'> {
    const { realmId, name, authorId, fileKey } = emoji;
    return this.database.transaction(async (session) => {
      if (!(await hasRoom(session, emojiOfRealm, realmId, limit))) return 'list is full';
      const rows = await session.query('add_realm_emoji', ADD, [realmId, name, authorId, fileKey]);
      return rows.length > 0 ? 'added' : 'name is taken';
    });
  }

  /** False when it was not active any more. */
  async deactivate(id: number): Promise<boolean> {
    const { count } = await this.database.prisma.realmEmoji.updateMany({
      where: { id, isDeactivated: false },
      data: { isDeactivated: true },
    });
    return count > 0;
  }
}
