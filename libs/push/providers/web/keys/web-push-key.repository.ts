import { Injectable } from '@nestjs/common';
import { Database, type Session } from '#platform/database';

/** A stored key pair. */
interface StoredWebPushKey {
  readonly id: number;
  /** 65 bytes. */
  readonly publicKey: Buffer;
  /** The private key, sealed. */
  readonly sealed: Buffer;
  readonly createdAt: Date;
}

const COLUMNS = `id, public_key AS "publicKey", sealed, created_at AS "createdAt"`;

const LIST = `SELECT ${COLUMNS} FROM web_push_keys ORDER BY id DESC`;

const FIND = `SELECT ${COLUMNS} FROM web_push_keys WHERE id = $1`;

const FIND_NEWEST = `
  SELECT id, public_key AS "publicKey" FROM web_push_keys ORDER BY id DESC LIMIT 1`;

const FIND_ID = `SELECT id FROM web_push_keys WHERE public_key = $1`;

// The newest key is that with the largest id: events of changes at once would else name them in another order.
const LOCK = `SELECT pg_advisory_xact_lock(hashtextextended('web_push_keys', 0))`;

const ADD = `INSERT INTO web_push_keys (public_key, sealed) VALUES ($1, $2)`;

const REMOVE = `DELETE FROM web_push_keys WHERE public_key = $1 RETURNING id`;

/** Stores the VAPID key pairs. */
@Injectable()
export class WebPushKeyRepository {
  constructor(private readonly database: Database) {}

  /** The newest first. Operators make them, so there are few. */
  async list(): Promise<StoredWebPushKey[]> {
    return this.database.query<StoredWebPushKey>('list_web_push_keys', LIST);
  }

  /** Null for an unknown id. */
  async find(id: number): Promise<StoredWebPushKey | null> {
    const [row] = await this.database.query<StoredWebPushKey>('find_web_push_key', FIND, [id]);
    return row ?? null;
  }

  /** Null without a key. */
  async findNewest(
    session: Session = this.database,
  ): Promise<Pick<StoredWebPushKey, 'id' | 'publicKey'> | null> {
    const [row] = await session.query<Pick<StoredWebPushKey, 'id' | 'publicKey'>>(
      'find_newest_web_push_key',
      FIND_NEWEST,
    );
    return row ?? null;
  }

  /** Null for an unknown public key. */
  async findId(publicKey: Buffer): Promise<number | null> {
    const rows = await this.database.query<Pick<StoredWebPushKey, 'id'>>(
      'find_web_push_key_id',
      FIND_ID,
      [publicKey],
    );
    return rows[0]?.id ?? null;
  }

  /** Stores a key pair; `sealed` is the private key. In a transaction, other changes of the keys wait for its end. */
  async add(publicKey: Buffer, sealed: Buffer, session: Session = this.database): Promise<void> {
    await session.query('lock_web_push_keys', LOCK);
    await session.query('add_web_push_key', ADD, [publicKey, sealed]);
  }

  /** False if there was none. In a transaction, other changes of the keys wait for its end. */
  async remove(publicKey: Buffer, session: Session): Promise<boolean> {
    await session.query('lock_web_push_keys', LOCK);
    return (await session.query('remove_web_push_key', REMOVE, [publicKey])).length > 0;
  }
}
