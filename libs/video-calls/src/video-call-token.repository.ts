import { Injectable } from '@nestjs/common';
import { Database } from '#database';
import type { TokenOwner } from './provider-token.rules.js';

const STORE = `
  INSERT INTO video_call_tokens (user_id, provider, sealed, updated_at)
  SELECT id, $2, $3, now() FROM users WHERE id = $1 AND is_active
  ON CONFLICT (user_id, provider) DO UPDATE SET sealed = excluded.sealed, updated_at = now()
  RETURNING user_id`;

/** Sealed tokens. No two seals are alike, so that the bytes tell whether a token is still the one that was read. */
@Injectable()
export class VideoCallTokenRepository {
  constructor(private readonly database: Database) {}

  async find(owner: TokenOwner): Promise<Buffer | null> {
    const row = await this.database.prisma.videoCallToken.findUnique({
      where: { userId_provider: ownerOf(owner) },
      select: { sealed: true },
    });
    return row === null ? null : Buffer.from(row.sealed);
  }

  /** Stores a token, over another if there is one; false when there is no such account in use. */
  async store({ userId, provider }: TokenOwner, sealed: Buffer): Promise<boolean> {
    const rows = await this.database.query('store_video_call_token', STORE, [
      userId,
      provider,
      sealed,
    ]);
    return rows.length > 0;
  }

  /** False when the token is not `seen` any more. */
  async replace(owner: TokenOwner, seen: Buffer, sealed: Buffer): Promise<boolean> {
    const { count } = await this.database.prisma.videoCallToken.updateMany({
      where: { ...ownerOf(owner), sealed: new Uint8Array(seen) },
      data: { sealed: new Uint8Array(sealed) },
    });
    return count > 0;
  }

  /** Removes a token that is still `seen`. */
  async remove(owner: TokenOwner, seen: Buffer): Promise<void> {
    await this.database.prisma.videoCallToken.deleteMany({
      where: { ...ownerOf(owner), sealed: new Uint8Array(seen) },
    });
  }
}

const ownerOf = ({ userId, provider }: TokenOwner) => ({ userId, provider });
