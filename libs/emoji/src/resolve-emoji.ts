import { Injectable } from '@nestjs/common';
import { ApiError } from '#contracts';
import { type Emoji, type EmojiChoice, extraEmoji } from './emoji.js';
import {
  emojiOfRealm,
  emojiTypeOf,
  extraEmojiOf,
  realmEmojiIdOf,
  unicodeEmojiOf,
  usableEmojiOf,
} from './emoji-choice.rules.js';
import { RealmEmojiRepository } from './realm-emoji.repository.js';
import { UnicodeEmoji } from './unicode-emoji.js';

/** Finds the emoji that a client means, for a status or a reaction. */
@Injectable()
export class ResolveEmoji {
  constructor(
    private readonly unicode: UnicodeEmoji,
    private readonly realmEmoji: RealmEmojiRepository,
  ) {}

  /**
   * The emoji under the name that was given, or under one of its names when only a code was. What is
   * missing of code and type is that of the name: of the organisation's active emoji, else of the
   * built-in extra, else of Unicode's.
   *
   * Throws ApiError `emojiDoesNotExist` for a name that no emoji has where one was needed, and the error
   * of its namespace for a code that is none, or that does not go by the name.
   */
  async execute(realmId: number, { name, code, type }: EmojiChoice): Promise<Emoji> {
    if (name === undefined || (code !== undefined && type !== undefined)) {
      return this.#checked(realmId, { name, code: code ?? '', type: type ?? 'unicode_emoji' });
    }
    const meant = await this.#named(realmId, name);
    if (code === undefined && type === undefined) return meant;
    return this.#checked(realmId, { name, code: code ?? meant.code, type: type ?? meant.type });
  }

  async #named(realmId: number, name: string): Promise<Emoji> {
    const own = await this.realmEmoji.findActive(realmId, name);
    if (own !== null) return emojiOfRealm(own);
    if (name === extraEmoji.name) return extraEmoji;
    const code = this.unicode.codeOf(name);
    if (code === undefined) throw new ApiError('emojiDoesNotExist', { name });
    return { name, code, type: 'unicode_emoji' };
  }

  async #checked(
    realmId: number,
    { name, code, type }: EmojiChoice & { readonly code: string; readonly type: string },
  ): Promise<Emoji> {
    switch (emojiTypeOf(type)) {
      case 'realm_emoji': {
        const id = realmEmojiIdOf(code);
        const found = id === null ? null : await this.realmEmoji.find(realmId, id);
        return usableEmojiOf(found, name);
      }
      case 'zulip_extra_emoji':
        return extraEmojiOf(code, name);
      case 'unicode_emoji':
        return unicodeEmojiOf(this.unicode, code, name);
    }
  }
}
