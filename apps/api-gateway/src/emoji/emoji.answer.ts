import { FileAnswer } from '#edge';
import { type EmojiPicture, picturePath, type RealmEmoji } from '#emoji';

/** An organisation's emoji as the wire has them: by the text of their ids. */
export const answerOfEmoji = (realmId: number, emoji: readonly RealmEmoji[]) =>
  Object.fromEntries(
    emoji.map(({ id, name, authorId, fileKey, isDeactivated }) => [
      String(id),
      {
        id: String(id),
        name,
        source_url: picturePath(realmId, fileKey),
        still_url: null,
        deactivated: isDeactivated,
        author_id: authorId,
      },
    ]),
  );

/** A picture as browsers may keep it: under an address of ours it never changes, and does nothing. */
export const answerOfPicture = ({ contentType, sizeBytes, read }: EmojiPicture): FileAnswer =>
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
