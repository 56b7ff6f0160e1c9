import { createHash } from 'node:crypto';
import { hasSkinTone, type UnicodeEmoji } from '#chat/emoji-names';

const DIGEST_LENGTH = 16;

const FILE_NAME = /^emoji-[0-9a-f]{16}\.json$/;

/** Whether a file has the name of emoji data, of this or another version of the server. */
export const isEmojiDataName = (fileName: string): boolean => FILE_NAME.test(fileName);

/**
 * The file from which clients learn the emoji of Unicode and their names. Its name changes with its content. Emoji in
 * skin tones, and skin tones alone, are left out, because clients would offer each of them beside the emoji itself.
 */
export class EmojiData {
  readonly bytes: Buffer;
  readonly fileName: string;

  constructor(unicode: Pick<UnicodeEmoji, 'namesByCode'>) {
    const names = [...unicode.namesByCode()].filter(([code]) => !hasSkinTone(code));
    this.bytes = Buffer.from(JSON.stringify({ code_to_names: Object.fromEntries(names) }));
    const digest = createHash('sha256').update(this.bytes).digest('hex').slice(0, DIGEST_LENGTH);
    this.fileName = `emoji-${digest}.json`;
  }

  /** The path of the file, from the address of the organisation. */
  get path(): string {
    return `/static/emoji/${this.fileName}`;
  }
}
