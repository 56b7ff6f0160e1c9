export { EmojiController } from './emoji.controller.js';
export { emojiName, emojiParameters } from './emoji-parameters.js';
