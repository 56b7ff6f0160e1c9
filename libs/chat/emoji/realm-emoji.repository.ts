import { Injectable } from '@nestjs/common';
import {
  Database,
  lockAndCheckRoom,
  lockList,
  type Prisma,
  type Session,
  type Transaction,
} from '#platform/database';

/** A custom emoji of an organisation. */
export interface RealmEmoji {
  readonly id: number;
  readonly name: string;
  readonly authorId: number | null;
  readonly fileKey: string;
  readonly isDeactivated: boolean;
}

/** An emoji to store. */
interface NewRealmEmoji {
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

const COLUMNS = `
  id, name, author_id AS "authorId", file_key AS "fileKey", is_deactivated AS "isDeactivated"`;

/** Above the highest cap that can be configured. */
const MAX_LISTED = 10_000_000;

const LIST = `SELECT ${COLUMNS} FROM realm_emoji WHERE realm_id = $1 ORDER BY id LIMIT $2`;

const ADD = `
  INSERT INTO realm_emoji (realm_id, name, author_id, file_key) VALUES ($1, $2, $3, $4)
  ON CONFLICT DO NOTHING
  RETURNING ${COLUMNS}`;

const DEACTIVATE = `
  UPDATE realm_emoji SET is_deactivated = true
  WHERE id = $1 AND realm_id = $2 AND NOT is_deactivated
  RETURNING id`;

/** Deactivated emoji count, since statuses and lists still show them. */
const emojiOfRealm = { table: 'realm_emoji', owner: 'realm_id' } as const;

/**
 * The custom emoji of organisations. A change blocks other changes of the same organisation until the end of its
 * transaction, so that a list that is read after the change is the list at the commit.
 */
@Injectable()
export class RealmEmojiRepository {
  constructor(private readonly database: Database) {}

  /** All emoji of an organisation, including deactivated ones, by id. */
  async list(realmId: number, session: Session = this.database): Promise<RealmEmoji[]> {
    return session.query<RealmEmoji>('list_realm_emoji', LIST, [realmId, MAX_LISTED]);
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

  /** Resolves with the new emoji. Fails when an active emoji has the name, and when the organisation has `limit` emoji. */
  async add(
    transaction: Transaction,
    { realmId, name, authorId, fileKey }: NewRealmEmoji,
    limit: number,
  ): Promise<RealmEmoji | 'name is taken' | 'list is full'> {
    if (!(await lockAndCheckRoom(transaction, emojiOfRealm, realmId, limit))) return 'list is full';
    const values = [realmId, name, authorId, fileKey];
    const [added] = await transaction.query<RealmEmoji>('add_realm_emoji', ADD, values);
    return added ?? 'name is taken';
  }

  /** False when the emoji is not active any more. */
  async deactivate(transaction: Transaction, realmId: number, id: number): Promise<boolean> {
    await lockList(transaction, emojiOfRealm, realmId);
    const rows = await transaction.query('deactivate_emoji', DEACTIVATE, [id, realmId]);
    return rows.length > 0;
  }
}
