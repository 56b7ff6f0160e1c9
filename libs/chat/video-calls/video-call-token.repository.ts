import { Injectable } from '@nestjs/common';
import { Database, type Session } from '#platform/database';
import type { TokenOwner } from './provider-token.rules.js';

const STORE = `
  INSERT INTO video_call_tokens (user_id, provider, sealed, updated_at)
  SELECT id, $2, $3, now() FROM users WHERE id = $1 AND is_active
  ON CONFLICT (user_id, provider) DO UPDATE SET sealed = excluded.sealed, updated_at = now()
  RETURNING user_id`;

const REPLACE = `
  UPDATE video_call_tokens SET sealed = $4, updated_at = now()
  WHERE user_id = $1 AND provider = $2 AND sealed = $3
  RETURNING user_id`;

const REMOVE = `DELETE FROM video_call_tokens WHERE user_id = $1 AND provider = $2 AND sealed = $3`;

/** Sealed tokens. No two seals are alike, so that the bytes tell whether a token is still the one that was read. */
@Injectable()
export class VideoCallTokenRepository {
  constructor(private readonly database: Database) {}

  async find({ userId, provider }: TokenOwner): Promise<Buffer | null> {
    const row = await this.database.prisma.videoCallToken.findUnique({
      where: { userId_provider: { userId, provider } },
      select: { sealed: true },
    });
    return row === null ? null : Buffer.from(row.sealed);
  }

  /** Stores a token, over another if there is one; false when there is no such account in use. */
  async store(
    { userId, provider }: TokenOwner,
    sealed: Buffer,
    session: Session = this.database,
  ): Promise<boolean> {
    const rows = await session.query('store_video_call_token', STORE, [userId, provider, sealed]);
    return rows.length > 0;
  }

  /** False when the token is not `seen` any more. */
  async replace(
    { userId, provider }: TokenOwner,
    seen: Buffer,
    sealed: Buffer,
    session: Session = this.database,
  ): Promise<boolean> {
    const values = [userId, provider, seen, sealed];
    const rows = await session.query('replace_video_call_token', REPLACE, values);
    return rows.length > 0;
  }

  /** Removes a token that is still `seen`. */
  async remove(
    { userId, provider }: TokenOwner,
    seen: Buffer,
    session: Session = this.database,
  ): Promise<void> {
    await session.query('remove_video_call_token', REMOVE, [userId, provider, seen]);
  }
}
