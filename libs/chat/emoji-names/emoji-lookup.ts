import { Injectable } from '@nestjs/common';
import type { EmojiMatch, MarkdownContext } from '#platform/markdown';
import { hasSkinTone, picturePath } from './emoji-code.rules.js';
import { type EmojiName, NamedEmojiRepository } from './named-emoji.repository.js';
import { UnicodeEmoji } from './unicode-emoji.js';

/** Finds names of custom emoji. */
const NAME = /:(?=([a-z0-9_-]{1,100}):)/g;

/** Where clients load the picture of the extra emoji, at every server. */
export const EXTRA_EMOJI_PATH = '/static/generated/emoji/images/emoji/unicode/zulip.png';

/** The emoji that every server has besides those of Unicode. */
const EXTRA_EMOJI: readonly [string, EmojiMatch] = ['zulip', { picture: EXTRA_EMOJI_PATH }];

type EmojiContext = Required<Pick<MarkdownContext, 'findEmoji' | 'nameOfEmoji'>>;

/** Finds the emoji in messages. */
@Injectable()
export class EmojiLookup {
  constructor(
    private readonly unicode: UnicodeEmoji,
    private readonly named: NamedEmojiRepository,
  ) {}

  /** The emoji that a source may name. One statement for all names, none without a name. */
  async inSource(realmId: number, source: string): Promise<EmojiContext> {
    const names = new Set(Array.from(source.matchAll(NAME), ([, name = '']) => name));
    const custom = names.size === 0 ? [] : await this.named.find(realmId, [...names]);
    return emojiNamed(this.unicode, realmId, custom);
  }
}

/**
 * The emoji for the renderer: custom emoji first, then those of Unicode. Emoji in skin tones are left out, since clients
 * do not know them.
 */
export function emojiNamed(
  unicode: Pick<UnicodeEmoji, 'codeOf' | 'nameOf'>,
  realmId: number,
  custom: readonly EmojiName[],
): EmojiContext {
  const pictures = new Map<string, EmojiMatch>([
    EXTRA_EMOJI,
    ...custom.map(
      ({ name, fileKey }) => [name, { picture: picturePath(realmId, fileKey) }] as const,
    ),
  ]);
  return {
    findEmoji: (name) => {
      const code = unicode.codeOf(name);
      const isKnown = code !== undefined && !hasSkinTone(code);
      return pictures.get(name) ?? (isKnown ? { code } : undefined);
    },
    nameOfEmoji: (code) => (hasSkinTone(code) ? undefined : unicode.nameOf(code)),
  };
}
