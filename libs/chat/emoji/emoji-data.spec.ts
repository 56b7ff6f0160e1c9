import { describe, expect, it } from '@jest/globals';
import { hasSkinTone, normalizeEmojiCode, readEmojiNames, UnicodeEmoji } from '#chat/emoji-names';
import { EmojiData } from './emoji-data.js';

describe(EmojiData.name, () => {
  const unicode = new UnicodeEmoji(readEmojiNames());
  const data = JSON.parse(new EmojiData(unicode).bytes.toString()) as {
    readonly code_to_names: Readonly<Record<string, readonly string[]>>;
  };
  const entries = Object.entries(data.code_to_names);

  it('has every emoji but for skin tones', () => {
    const codes = [...readEmojiNames()].flatMap((names) => Object.keys(names));
    const wanted = codes.map(normalizeEmojiCode).filter((code) => !hasSkinTone(code));
    const listed = new Set(entries.map(([code]) => code));
    expect(listed).toEqual(new Set(wanted));
  });
});
