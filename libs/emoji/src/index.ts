export { EmojiModule } from './emoji.module.js';
