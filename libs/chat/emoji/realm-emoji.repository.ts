import { Injectable } from '@nestjs/common';
import { Database, hasRoom, type Prisma, type Session } from '#platform/database';

/** A custom emoji of an organisation. */
export interface RealmEmoji {
  readonly id: number;
  readonly name: string;
  readonly authorId: number | null;
  readonly fileKey: string;
  readonly isDeactivated: boolean;
}

/** An emoji to store. */
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

const DEACTIVATE = `
  UPDATE realm_emoji SET is_deactivated = true WHERE id = $1 AND NOT is_deactivated RETURNING id`;

/** Deactivated emoji count, since statuses and lists still show them. */
const emojiOfRealm = { table: 'realm_emoji', owner: 'realm_id' } as const;

@Injectable()
export class RealmEmojiRepository {
  constructor(private readonly database: Database) {}

  /** All emoji of an organisation, including deactivated ones, by id. */
  async list(realmId: number): Promise<RealmEmoji[]> {
    return this.database.prisma.realmEmoji.findMany({
      where: { realmId },
      select: columns,
      orderBy: { id: 'asc' },
    });
  }

  /** An emoji of an organisation, deactivated or not; null when it does not exist. */
  async find(realmId: number, id: number): Promise<RealmEmoji | null> {
    return this.database.prisma.realmEmoji.findFirst({ where: { realmId, id }, select: columns });
  }

  /** The active emoji with a name; null when it does not exist. */
  async findActive(realmId: number, name: string): Promise<RealmEmoji | null> {
    return this.database.prisma.realmEmoji.findFirst({
      where: { realmId, name, isDeactivated: false },
      select: columns,
    });
  }

  /** Whether an emoji of an organisation, deactivated or not, has the picture. */
  async hasPicture(realmId: number, fileKey: string): Promise<boolean> {
    const where = { realmId, fileKey };
    return (await this.database.prisma.realmEmoji.count({ where })) > 0;
  }

  /** Fails when an active emoji has the name, and when the organisation has `limit` emoji. */
  async add(
    emoji: NewRealmEmoji,
    limit: number,
    session: Session = this.database,
  ): Promise<'added' | 'name is taken' | 'list is full'> {
    const { realmId, name, authorId, fileKey } = emoji;
    return session.transaction(async (transaction) => {
      if (!(await hasRoom(transaction, emojiOfRealm, realmId, limit))) return 'list is full';
      const rows = await transaction.query('add_realm_emoji', ADD, [
        realmId,
        name,
        authorId,
        fileKey,
      ]);
      return rows.length > 0 ? 'added' : 'name is taken';
    });
  }

  /** False when the emoji is not active any more. */
  async deactivate(id: number, session: Session = this.database): Promise<boolean> {
    const rows = await session.query('deactivate_emoji', DEACTIVATE, [id]);
    return rows.length > 0;
  }
}
