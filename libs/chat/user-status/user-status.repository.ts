import { Injectable } from '@nestjs/common';
import type { Emoji, EmojiType } from '#chat/emoji';
import { Database, type Session } from '#platform/database';

/** A user's status; null for a part that is not set. */
export interface UserStatus {
  readonly text: string | null;
  readonly emoji: Emoji | null;
}

/** New values for the parts that change; null removes a part, a missing part stays unchanged. */
export interface StatusChange {
  readonly text?: string | null;
  readonly emoji?: Emoji | null;
}

// One statement, so that concurrent changes of the text and of the emoji are both kept. A null parameter keeps the
// stored value.
const CHANGE = `
  INSERT INTO user_statuses AS kept (user_id, text, emoji_name, emoji_code, reaction_type, updated_at)
  VALUES ($1, coalesce($2, ''), coalesce($3, ''), coalesce($4, ''), coalesce($5, 'unicode_emoji'), now())
  ON CONFLICT (user_id) DO UPDATE
  SET text = coalesce($2, kept.text),
      emoji_name = coalesce($3, kept.emoji_name),
      emoji_code = coalesce($4, kept.emoji_code),
      reaction_type = coalesce($5, kept.reaction_type),
      updated_at = now()`;

const noEmoji = { name: '', code: '', type: 'unicode_emoji' } as const satisfies Emoji;

@Injectable()
export class UserStatusRepository {
  constructor(private readonly database: Database) {}

  async change(
    userId: number,
    { text, emoji }: StatusChange,
    session: Session = this.database,
  ): Promise<void> {
    const stored = emoji === undefined ? null : (emoji ?? noEmoji);
    await session.query('change_user_status', CHANGE, [
      userId,
      text === undefined ? null : (text ?? ''),
      stored?.name ?? null,
      stored?.code ?? null,
      stored?.type ?? null,
    ]);
  }

  /** A user without a stored status has a status without parts. */
  async find(userId: number): Promise<UserStatus> {
    const row = await this.database.prisma.userStatus.findUnique({ where: { userId } });
    if (row === null) return { text: null, emoji: null };
    return {
      text: row.text === '' ? null : row.text,
      emoji:
        row.emojiName === ''
          ? null
          : {
              name: row.emojiName,
              code: row.emojiCode,
              // Only resolved emoji are stored.
              type: row.reactionType as EmojiType,
            },
    };
  }
}
