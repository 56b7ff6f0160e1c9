import { Readable } from 'node:stream';
import { picturePath } from '#chat/emoji-names';
import { ApiError, requestErrors } from '#platform/contracts';
import { FileAnswer } from '#platform/http';
import { type EmojiData, isEmojiDataName } from './emoji-data.js';
import type { EmojiPicture } from './emoji-picture.rules.js';
import { type RealmEmoji } from './realm-emoji.repository.js';

/** An emoji of an organisation. */
export const toOneEmojiResponse = (
  realmId: number,
  { id, name, authorId, fileKey, isDeactivated }: RealmEmoji,
) => ({
  id: String(id),
  name,
  source_url: picturePath(realmId, fileKey),
  still_url: null,
  deactivated: isDeactivated,
  author_id: authorId,
});

/** For a year; the address changes with the content. */
const IMMUTABLE = 'public, max-age=31536000, immutable';

/** The emoji of an organisation by id. */
export const toEmojiResponse = (realmId: number, emoji: readonly RealmEmoji[]) =>
  Object.fromEntries(emoji.map((one) => [String(one.id), toOneEmojiResponse(realmId, one)]));

/** A picture that browsers may cache without a limit, and that runs no scripts. */
export const toPictureResponse = ({ contentType, sizeBytes, read }: EmojiPicture): FileAnswer =>
  new FileAnswer({
    sizeBytes,
    headers: {
      'Content-Type': contentType,
      'Cache-Control': IMMUTABLE,
      'Content-Security-Policy': "default-src 'none'; sandbox",
      'X-Content-Type-Options': 'nosniff',
    },
    open: read,
  });

/**
 * The emoji data under the name `fileName`. Browsers may cache it without a limit under its own name. A client that
 * registered at another version of the server asks for another name; it gets the data too, because it would repeat its
 * request until it succeeds.
 */
export function toEmojiDataResponse(data: EmojiData, fileName: string): FileAnswer {
  if (!isEmojiDataName(fileName)) throw new ApiError(requestErrors.notFound);
  const { bytes } = data;
  const isCurrent = fileName === data.fileName;
  return new FileAnswer({
    sizeBytes: bytes.length,
    headers: {
      'Content-Type': 'application/json',
      'Cache-Control': isCurrent ? IMMUTABLE : 'no-cache',
      'X-Content-Type-Options': 'nosniff',
    },
    open: (range) =>
      Promise.resolve(
        Readable.from([range === null ? bytes : bytes.subarray(range.first, range.last + 1)]),
      ),
  });
}
