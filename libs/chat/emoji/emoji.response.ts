import { FileAnswer } from '#platform/http';
import { type EmojiPicture, picturePath } from './emoji-picture.rules.js';
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

/** The emoji of an organisation by id. */
export const toEmojiResponse = (realmId: number, emoji: readonly RealmEmoji[]) =>
  Object.fromEntries(emoji.map((one) => [String(one.id), toOneEmojiResponse(realmId, one)]));

/** A picture that browsers may cache without a limit, and that runs no scripts. */
export const toPictureResponse = ({ contentType, sizeBytes, read }: EmojiPicture): FileAnswer =>
  new FileAnswer({
    sizeBytes,
    headers: {
      'Content-Type': contentType,
      'Cache-Control': 'public, max-age=31536000, immutable',
      'Content-Security-Policy': "default-src 'none'; sandbox",
      'X-Content-Type-Options': 'nosniff',
    },
    open: read,
  });
