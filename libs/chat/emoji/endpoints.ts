import type { Endpoints } from '#platform/http';
import { EmojiController } from './emoji.controller.js';
import { EmojiModule } from './emoji.module.js';

export { emojiName, emojiParameters } from './emoji-parameters.js';

export const emojiEndpoints: Endpoints = { imports: [EmojiModule], controllers: [EmojiController] };
