export { emojiErrors } from './emoji.errors.js';
export { EmojiModule } from './emoji.module.js';
export { type Emoji, type EmojiChoice, type EmojiType, emojiTypes } from './emoji.rules.js';
export { EmojiResolver } from './emoji-resolver.js';
