import { Injectable } from '@nestjs/common';
import { Database } from '#database';
import type { Emoji, EmojiType } from '#emoji';

/** What a user says of themselves; null for a part that is not set. */
export interface UserStatus {
  readonly text: string | null;
  readonly emoji: Emoji | null;
}

/** New values for the parts that change; null takes a part away, and one left out stays as it is. */
export interface StatusChange {
  readonly text?: string | null;
  readonly emoji?: Emoji | null;
}

// One statement, so that a change of the text and one of the emoji at the same time both hold. A null
// stands for a part that stays.
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

  async change(userId: number, { text, emoji }: StatusChange): Promise<void> {
    const stored = emoji === undefined ? null : (emoji ?? noEmoji);
    await this.database.query('change_user_status', CHANGE, [
      userId,
      text === undefined ? null : (text ?? ''),
      stored?.name ?? null,
      stored?.code ?? null,
      stored?.type ?? null,
    ]);
  }

  /** Of somebody who never had one, a status without parts. */
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
              // Only a resolved emoji is ever stored.
              type: row.reactionType as EmojiType,
            },
    };
  }
}
