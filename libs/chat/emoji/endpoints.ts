export { EmojiController } from './emoji.controller.js';
