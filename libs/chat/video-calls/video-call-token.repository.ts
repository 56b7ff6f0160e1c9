import { Injectable } from '@nestjs/common';
import { Database, type Session, type Transaction } from '#platform/database';
import type { TokenOwner } from './provider-token.rules.js';

const STORE = `
  INSERT INTO video_call_tokens (user_id, provider, sealed, updated_at)
  SELECT id, $2, $3, now() FROM users WHERE id = $1 AND is_active
  ON CONFLICT (user_id, provider) DO UPDATE SET sealed = excluded.sealed, updated_at = now()
  RETURNING (SELECT realm_id FROM users WHERE id = $1) AS "realmId", xmax = 0 AS "isFirst"`;

const REPLACE = `
  UPDATE video_call_tokens SET sealed = $4, updated_at = now()
  WHERE user_id = $1 AND provider = $2 AND sealed = $3
  RETURNING user_id`;

const REMOVE = `
  DELETE FROM video_call_tokens WHERE user_id = $1 AND provider = $2 AND sealed = $3
  RETURNING (SELECT realm_id FROM users WHERE id = $1) AS "realmId"`;

const PROVIDERS = `SELECT provider FROM video_call_tokens WHERE user_id = $1 LIMIT 100`;

/** A stored token: the organisation of its owner, and whether the owner had none at the provider before. */
interface TokenRow {
  readonly realmId: number;
  readonly isFirst: boolean;
}

/** Sealed tokens. No two seals are alike, so that the bytes show whether a token is still the one that was read. */
@Injectable()
export class VideoCallTokenRepository {
  constructor(private readonly database: Database) {}

  /** The sealed token of an owner; null when none is stored. */
  async find({ userId, provider }: TokenOwner): Promise<Buffer | null> {
    const row = await this.database.prisma.videoCallToken.findUnique({
      where: { userId_provider: { userId, provider } },
      select: { sealed: true },
    });
    return row === null ? null : Buffer.from(row.sealed);
  }

  /** The providers at which an account has a token. */
  async providersOf(session: Session, userId: number): Promise<string[]> {
    const rows = await session.query<{ provider: string }>('video_call_providers', PROVIDERS, [
      userId,
    ]);
    return rows.map(({ provider }) => provider);
  }

  /** Stores a token, over another if there is one; null when there is no such account in use. */
  async store(
    transaction: Transaction,
    { userId, provider }: TokenOwner,
    sealed: Buffer,
  ): Promise<TokenRow | null> {
    const values = [userId, provider, sealed];
    const [row] = await transaction.query<TokenRow>('store_video_call_token', STORE, values);
    return row ?? null;
  }

  /** False when the token is not `seen` any more. */
  async replace({ userId, provider }: TokenOwner, seen: Buffer, sealed: Buffer): Promise<boolean> {
    const values = [userId, provider, seen, sealed];
    const rows = await this.database.query('replace_video_call_token', REPLACE, values);
    return rows.length > 0;
  }

  /** Removes a token that is still `seen`; resolves with the organisation of its owner, or with null if it is not. */
  async remove(
    transaction: Transaction,
    { userId, provider }: TokenOwner,
    seen: Buffer,
  ): Promise<number | null> {
    const values = [userId, provider, seen];
    const [row] = await transaction.query<{ realmId: number }>(
      'remove_video_call_token',
      REMOVE,
      values,
    );
    return row?.realmId ?? null;
  }
}
