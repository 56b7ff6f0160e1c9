import { normalizeEmojiCode } from '#chat/emoji-names';
import { ApiError, isRowId } from '#platform/contracts';
import { emojiErrors } from './emoji.errors.js';
import type { RealmEmoji } from './realm-emoji.repository.js';

/** The namespaces of emoji codes, as the API names them. */
export const emojiTypes = ['unicode_emoji', 'realm_emoji', 'zulip_extra_emoji'] as const;

export type EmojiType = (typeof emojiTypes)[number];

/** One emoji under one of its names. */
export interface Emoji {
  readonly name: string;
  /** Its identity within the namespace: code points in hexadecimal, the id of a realm emoji, or its name. */
  readonly code: string;
  readonly type: EmojiType;
}

/** A client's choice of an emoji: by its name, and optionally by its code. */
export interface EmojiChoice {
  readonly name?: string | undefined;
  readonly code?: string | undefined;
  readonly type?: string | undefined;
}

/** The names of Unicode emoji by normalized code. */
interface UnicodeNames {
  nameOf(code: string): string | undefined;
  isNamed(code: string, name: string): boolean;
}

/** The only emoji that is neither Unicode's nor an organisation's. */
export const extraEmoji = {
  name: 'zulip',
  code: 'zulip',
  type: 'zulip_extra_emoji',
} as const satisfies Emoji;

const CUSTOM_NAME = /^[a-z0-9_-]*[a-z0-9]$/;

/** Parses a type; throws `invalidEmojiType` for an unknown one. */
export function emojiTypeOf(given: string): EmojiType {
  const type = emojiTypes.find((known) => known === given);
  if (type === undefined) throw new ApiError(emojiErrors.invalidEmojiType);
  return type;
}

/** The row id in a realm emoji's code; null for a text that is not a row id. */
export function realmEmojiIdOf(code: string): number | null {
  if (!/^[1-9]\d{0,9}$/.test(code)) return null;
  const id = Number(code);
  return isRowId(id) ? id : null;
}

/** An organisation's emoji in the form that statuses and reactions store. */
export const emojiOfRealm = ({ id, name }: RealmEmoji): Emoji => ({
  name,
  code: String(id),
  type: 'realm_emoji',
});

/** The emoji of a Unicode code; throws ApiError for an unknown code, and for a name that is not the emoji's. */
export function unicodeEmojiOf(
  unicode: UnicodeNames,
  given: string,
  name: string | undefined,
): Emoji {
  const code = normalizeEmojiCode(given);
  const ownName = unicode.nameOf(code);
  if (ownName === undefined) throw new ApiError(emojiErrors.invalidEmojiCode);
  if (name !== undefined && !unicode.isNamed(code, name))
    throw new ApiError(emojiErrors.invalidEmojiName);
  return { name: name ?? ownName, code, type: 'unicode_emoji' };
}

/** The built-in extra emoji; throws ApiError for any other code or name. */
export function extraEmojiOf(code: string, name: string | undefined): Emoji {
  if (code !== extraEmoji.code) throw new ApiError(emojiErrors.invalidEmojiCode);
  if (name !== undefined && name !== extraEmoji.name)
    throw new ApiError(emojiErrors.invalidEmojiName);
  return extraEmoji;
}

/** An organisation's emoji that may be used by that name; throws ApiError for any other. */
export function usableEmojiOf(found: RealmEmoji | null, name: string | undefined): Emoji {
  if (found === null) throw new ApiError(emojiErrors.invalidCustomEmoji);
  if (name !== undefined && name !== found.name)
    throw new ApiError(emojiErrors.invalidCustomEmojiName);
  if (found.isDeactivated) throw new ApiError(emojiErrors.customEmojiIsDeactivated);
  return emojiOfRealm(found);
}

/**
 * The name that a new custom emoji gets: in lower case, with underscores for spaces. Throws ApiError
 * `emojiNameMissing` or `malformedEmojiName`.
 */
export function customEmojiName(given: string): string {
  const name = given.trim().toLowerCase().replaceAll(' ', '_');
  if (name === '') throw new ApiError(emojiErrors.emojiNameMissing);
  if (!CUSTOM_NAME.test(name)) throw new ApiError(emojiErrors.malformedEmojiName);
  return name;
}
