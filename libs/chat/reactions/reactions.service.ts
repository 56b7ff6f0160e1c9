import { Injectable } from '@nestjs/common';
import { type Emoji, type EmojiChoice, emojiErrors, EmojiResolver } from '#chat/emoji';
import { type LockedMessage, LockedMessages } from '#chat/messages';
import { ApiError, type Caller } from '#platform/contracts';
import { Database, type Transaction } from '#platform/database';
import { chosenReaction } from './reaction.rules.js';
import { ReactionRepository } from './reaction.repository.js';
import { reactionErrors } from './reactions.errors.js';
import { ReactionEvents } from './reactions.events.js';

/** Of all accounts together: each answer with a message has all of them. */
export const MAX_REACTIONS = 2000;

/** Adds and removes reactions to messages. */
@Injectable()
export class ReactionsService {
  constructor(
    private readonly database: Database,
    private readonly messages: LockedMessages,
    private readonly emoji: EmojiResolver,
    private readonly reactions: ReactionRepository,
    private readonly events: ReactionEvents,
  ) {}

  /**
   * Rejects with `invalidMessage`, `reactionAlreadyExists`, `tooManyReactions`, and with the errors of EmojiResolver for an
   * emoji that the message does not have yet.
   */
  async add(caller: Caller, messageId: number, choice: EmojiChoice): Promise<void> {
    const realmId = caller.realm.id;
    // Before the transaction, in which no other connection may be used.
    const [identity, valid] = await Promise.all([
      settled(this.emoji.identify(realmId, choice)),
      settled(this.emoji.resolve(realmId, choice)),
    ]);
    await this.database.transaction(async (transaction) => {
      const message = await this.messages.lock(transaction, caller, messageId);
      if (identity instanceof ApiError) throw identity;
      const { userId } = caller;
      const known = await this.reactions.state(transaction, messageId, userId, identity);
      if (known.isOwn) throw new ApiError(reactionErrors.reactionAlreadyExists);
      if (known.name === null && valid instanceof ApiError) throw valid;
      if (known.total >= MAX_REACTIONS) {
        throw new ApiError(reactionErrors.tooManyReactions, { limit: MAX_REACTIONS });
      }
      const name = known.name ?? nameOf(valid);
      await this.#add(transaction, caller, message, { ...identity, name });
    });
  }

  async #add(
    transaction: Transaction,
    caller: Caller,
    message: LockedMessage,
    emoji: Emoji,
  ): Promise<void> {
    await this.reactions.add(transaction, message.id, caller.userId, emoji);
    await this.messages.addRow(transaction, caller, message);
    await this.events.changed(transaction, caller, { op: 'add', messageId: message.id, emoji });
  }

  /** Rejects with `reactionWithoutEmoji`, `invalidMessage`, `emojiDoesNotExist` and `reactionDoesNotExist`. */
  async remove(caller: Caller, messageId: number, choice: EmojiChoice): Promise<void> {
    const { name, type } = choice;
    if (name === undefined && choice.code === undefined) {
      throw new ApiError(reactionErrors.reactionWithoutEmoji);
    }
    const identity = await settled(this.emoji.identify(caller.realm.id, choice));
    await this.database.transaction(async (transaction) => {
      await this.messages.lock(transaction, caller, messageId);
      const isUnknown = identity instanceof ApiError;
      if (isUnknown && identity.error !== emojiErrors.emojiDoesNotExist) throw identity;
      const own = await this.reactions.own(transaction, messageId, caller.userId);
      const named = isUnknown ? null : identity;
      const code = choice.code === undefined ? undefined : named?.code;
      const emoji = chosenReaction(own, { name, code, type }, named);
      if (emoji === null) {
        throw isUnknown ? identity : new ApiError(reactionErrors.reactionDoesNotExist);
      }
      await this.reactions.remove(transaction, messageId, caller.userId, emoji);
      await this.events.changed(transaction, caller, { op: 'remove', messageId, emoji });
    });
  }
}

/** The result of a promise, or the ApiError that it rejects with. */
async function settled<Result>(promise: Promise<Result>): Promise<Result | ApiError> {
  try {
    return await promise;
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
}

function nameOf(emoji: Emoji | ApiError): string {
  if (emoji instanceof ApiError) throw emoji;
  return emoji.name;
}
