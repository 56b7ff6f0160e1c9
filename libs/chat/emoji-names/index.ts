export { hasSkinTone, normalizeEmojiCode, picturePath } from './emoji-code.rules.js';
export { EmojiLookup, emojiNamed, EXTRA_EMOJI_PATH } from './emoji-lookup.js';
export { EmojiNamesModule } from './emoji-names.module.js';
export { readEmojiNames, UnicodeEmoji } from './unicode-emoji.js';
