import { Injectable } from '@nestjs/common';
import { normalizeEmojiCode, UnicodeEmoji } from '#chat/emoji-names';
import { ApiError } from '#platform/contracts';
import { emojiErrors } from './emoji.errors.js';
import {
  type Emoji,
  type EmojiChoice,
  type EmojiType,
  emojiOfRealm,
  emojiTypeOf,
  extraEmoji,
  extraEmojiOf,
  realmEmojiIdOf,
  unicodeEmojiOf,
  usableEmojiOf,
} from './emoji.rules.js';
import { RealmEmojiRepository } from './realm-emoji.repository.js';

/** Finds the emoji that a client names, for a status or a reaction. */
@Injectable()
export class EmojiResolver {
  constructor(
    private readonly unicode: UnicodeEmoji,
    private readonly realmEmoji: RealmEmojiRepository,
  ) {}

  /**
   * The emoji with the given name, or with one of its own names when only a code is given. The name decides a missing
   * code or type: an active emoji of the organisation first, then the built-in extra emoji, then Unicode. Throws
   * `emojiDoesNotExist` for an unknown name without a code or type, and otherwise the error of the type for an unknown
   * code and for a wrong name.
   */
  async resolve(realmId: number, { name, code, type }: EmojiChoice): Promise<Emoji> {
    if (name === undefined || (code !== undefined && type !== undefined)) {
      return this.#checked(realmId, { name, code: code ?? '', type: type ?? 'unicode_emoji' });
    }
    const found = await this.#named(realmId, name);
    if (code === undefined && type === undefined) return found;
    return this.#checked(realmId, { name, code: code ?? found.code, type: type ?? found.type });
  }

  /**
   * The code and the type that a choice stands for, without a check that the emoji is usable and has the name. Throws
   * `emojiDoesNotExist` and `invalidEmojiType`.
   */
  async identify(
    realmId: number,
    { name, code, type }: EmojiChoice,
  ): Promise<Pick<Emoji, 'code' | 'type'>> {
    const given = type === undefined ? undefined : emojiTypeOf(type);
    if (code !== undefined && (given !== undefined || name === undefined)) {
      return identityOf(code, given ?? 'unicode_emoji');
    }
    const found = await this.#named(realmId, name ?? '');
    return identityOf(code ?? found.code, given ?? found.type);
  }

  async #named(realmId: number, name: string): Promise<Emoji> {
    const own = await this.realmEmoji.findActive(realmId, name);
    if (own !== null) return emojiOfRealm(own);
    if (name === extraEmoji.name) return extraEmoji;
    const code = this.unicode.codeOf(name);
    if (code === undefined) throw new ApiError(emojiErrors.emojiDoesNotExist, { name });
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

const identityOf = (code: string, type: EmojiType): Pick<Emoji, 'code' | 'type'> => ({
  code: type === 'unicode_emoji' ? normalizeEmojiCode(code) : code,
  type,
});
