import { describe, expect, it } from '@jest/globals';
import {
  emojiNamed,
  hasSkinTone,
  normalizeEmojiCode,
  readEmojiNames,
  UnicodeEmoji,
} from '#chat/emoji-names';
import { EmojiData } from './emoji-data.js';

describe(EmojiData.name, () => {
  const unicode = new UnicodeEmoji(readEmojiNames());
  const data = JSON.parse(new EmojiData(unicode).bytes.toString()) as {
    readonly code_to_names: Readonly<Record<string, readonly string[]>>;
  };
  const entries = Object.entries(data.code_to_names);
  const { findEmoji } = emojiNamed(unicode, 1, []);

  it('has only names that messages show as the same emoji', () => {
    const others = entries.flatMap(([code, names]) =>
      names
        .map((name) => [name, code, findEmoji(name)] as const)
        .filter(([, , found]) => found === undefined || !('code' in found) || found.code !== code),
    );
    expect(others).toEqual([]);
  });

  it('has every emoji but for skin tones', () => {
    const codes = [...readEmojiNames()].flatMap((names) => Object.keys(names));
    const wanted = codes.map(normalizeEmojiCode).filter((code) => !hasSkinTone(code));
    const listed = new Set(entries.map(([code]) => code));
    expect(listed).toEqual(new Set(wanted));
  });
});
