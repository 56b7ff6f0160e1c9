export { AddRealmEmoji } from './add-realm-emoji.js';
export { DeactivateRealmEmoji } from './deactivate-realm-emoji.js';
export { type Emoji, type EmojiChoice, type EmojiType, emojiTypes } from './emoji.js';
export { picturePath } from './emoji-picture.rules.js';
export { EmojiModule } from './emoji.module.js';
export { ListRealmEmoji } from './list-realm-emoji.js';
export { type EmojiPicture, OpenEmojiPicture } from './open-emoji-picture.js';
export type { RealmEmoji } from './realm-emoji.repository.js';
export { ResolveEmoji } from './resolve-emoji.js';
