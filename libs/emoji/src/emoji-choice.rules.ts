import { ApiError, isRowId } from '#contracts';
import { type Emoji, type EmojiType, emojiTypes, extraEmoji } from './emoji.js';
import { normalizeEmojiCode } from './emoji-code.rules.js';
import type { RealmEmoji } from './realm-emoji.repository.js';
import type { UnicodeEmoji } from './unicode-emoji.js';

/** The namespace that a client named; throws ApiError `invalidEmojiType` when there is none such. */
export function emojiTypeOf(given: string): EmojiType {
  const type = emojiTypes.find((known) => known === given);
  if (type === undefined) throw new ApiError('invalidEmojiType');
  return type;
}

/** The id that a realm emoji's code is the text of; null for what can be no row's. */
export function realmEmojiIdOf(code: string): number | null {
  if (!/^[1-9]\d{0,9}$/.test(code)) return null;
  const id = Number(code);
  return isRowId(id) ? id : null;
}

/** An organisation's own emoji in the form that statuses and reactions have. */
export const emojiOfRealm = ({ id, name }: RealmEmoji): Emoji => ({
  name,
  code: String(id),
  type: 'realm_emoji',
});

/** The emoji of a Unicode code; throws ApiError for an unknown code, and for a name that it has not. */
export function unicodeEmojiOf(
  unicode: UnicodeEmoji,
  given: string,
  name: string | undefined,
): Emoji {
  const code = normalizeEmojiCode(given);
  const ownName = unicode.nameOf(code);
  if (ownName === undefined) throw new ApiError('invalidEmojiCode');
  if (name !== undefined && !unicode.isNamed(code, name)) throw new ApiError('invalidEmojiName');
  return { name: name ?? ownName, code, type: 'unicode_emoji' };
}

/** The built-in extra emoji; throws ApiError for any other code or name. */
export function extraEmojiOf(code: string, name: string | undefined): Emoji {
  if (code !== extraEmoji.code) throw new ApiError('invalidEmojiCode');
  if (name !== undefined && name !== extraEmoji.name) throw new ApiError('invalidEmojiName');
  return extraEmoji;
}

/** An organisation's emoji, if it may be used by that name; throws ApiError when it may not. */
export function usableEmojiOf(found: RealmEmoji | null, name: string | undefined): Emoji {
  if (found === null) throw new ApiError('invalidCustomEmoji');
  if (name !== undefined && name !== found.name) throw new ApiError('invalidCustomEmojiName');
  if (found.isDeactivated) throw new ApiError('customEmojiIsDeactivated');
  return emojiOfRealm(found);
}
