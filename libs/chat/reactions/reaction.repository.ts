import { Injectable } from '@nestjs/common';
import type { Emoji } from '#chat/emoji';
import type { Transaction } from '#platform/database';

/** An emoji without its name. */
export type EmojiIdentity = Pick<Emoji, 'code' | 'type'>;

/** The reactions to a message, as far as they concern one emoji and one account. */
interface ReactionState {
  /** Of all accounts with any emoji. */
  readonly total: number;
  /** The name of the reactions with the emoji; null without such a reaction. */
  readonly name: string | null;
  readonly isOwn: boolean;
}

/** A reaction of an account. */
export interface OwnReaction {
  readonly name: string;
  readonly code: string;
  readonly type: Emoji['type'];
}

const STATE = `
  SELECT count(*)::int AS total,
    (array_agg(emoji_name ORDER BY id) FILTER (WHERE emoji_type = $3 AND emoji_code = $4))[1] AS name,
    coalesce(bool_or(user_id = $2) FILTER (WHERE emoji_type = $3 AND emoji_code = $4), false) AS "isOwn"
  FROM message_reactions WHERE message_id = $1::bigint`;

const ADD = `
  INSERT INTO message_reactions (message_id, user_id, emoji_type, emoji_code, emoji_name)
  VALUES ($1::bigint, $2, $3, $4, $5)`;

const OWN = `
  SELECT emoji_name AS name, emoji_code AS code, emoji_type AS type FROM message_reactions
  WHERE message_id = $1::bigint AND user_id = $2 ORDER BY id`;

const REMOVE = `
  DELETE FROM message_reactions
  WHERE message_id = $1::bigint AND user_id = $2 AND emoji_type = $3 AND emoji_code = $4`;

/** The emoji that accounts have added to messages. The message is locked before any of these statements. */
@Injectable()
export class ReactionRepository {
  /** The reactions to a message, with regard to an emoji and an account. */
  async state(
    transaction: Transaction,
    messageId: number,
    userId: number,
    { code, type }: EmojiIdentity,
  ): Promise<ReactionState> {
    const values = [messageId, userId, type, code];
    const [state] = await transaction.query<ReactionState>('reaction_state', STATE, values);
    return state ?? { total: 0, name: null, isOwn: false };
  }

  /** Adds a reaction that the account does not have. */
  async add(
    transaction: Transaction,
    messageId: number,
    userId: number,
    { name, code, type }: Emoji,
  ): Promise<void> {
    await transaction.query('add_reaction', ADD, [messageId, userId, type, code, name]);
  }

  /** The reactions of an account to a message, in the order in which it added them. */
  async own(transaction: Transaction, messageId: number, userId: number): Promise<OwnReaction[]> {
    return transaction.query<OwnReaction>('own_reactions', OWN, [messageId, userId]);
  }

  /** Removes a reaction of the account; without one it changes nothing. */
  async remove(
    transaction: Transaction,
    messageId: number,
    userId: number,
    { code, type }: EmojiIdentity,
  ): Promise<void> {
    await transaction.query('remove_reaction', REMOVE, [messageId, userId, type, code]);
  }
}
