import { Injectable } from '@nestjs/common';
import { Database, type Session } from '#platform/database';

/** A stored key pair. */
interface StoredPushKey {
  readonly publicKey: Buffer;
  /** The private key, sealed. */
  readonly sealed: Buffer;
  readonly createdAt: Date;
}

const LIST = `
  SELECT public_key AS "publicKey", sealed, created_at AS "createdAt"
  FROM push_keys ORDER BY created_at DESC, public_key`;

const FIND = `
  SELECT public_key AS "publicKey", sealed, created_at AS "createdAt"
  FROM push_keys WHERE public_key = $1`;

const ADD = `INSERT INTO push_keys (public_key, sealed) VALUES ($1, $2)`;

const HAS_KEYS = `SELECT EXISTS (SELECT FROM push_keys) AS "hasKeys"`;

const REMOVE = `DELETE FROM push_keys WHERE public_key = $1 RETURNING public_key`;

/** Stores the key pairs of the push service. */
@Injectable()
export class PushKeyRepository {
  constructor(private readonly database: Database) {}

  /** The newest first. Operators make them, so there are few. */
  async list(): Promise<StoredPushKey[]> {
    return this.database.query<StoredPushKey>('list_push_keys', LIST);
  }

  /** Whether no key pair is stored. */
  async isEmpty(): Promise<boolean> {
    const [row] = await this.database.query<{ hasKeys: boolean }>('has_push_keys', HAS_KEYS);
    return row?.hasKeys !== true;
  }

  /** Null for an unknown public key. */
  async find(publicKey: Buffer): Promise<StoredPushKey | null> {
    const [row] = await this.database.query<StoredPushKey>('find_push_key', FIND, [publicKey]);
    return row ?? null;
  }

  /** Stores a key pair; `sealed` is the private key. Rejects if it is stored already. */
  async add(publicKey: Buffer, sealed: Buffer, session: Session = this.database): Promise<void> {
    await session.query('add_push_key', ADD, [publicKey, sealed]);
  }

  /** False if there was none. */
  async remove(publicKey: Buffer, session: Session): Promise<boolean> {
    return (await session.query('remove_push_key', REMOVE, [publicKey])).length > 0;
  }
}
