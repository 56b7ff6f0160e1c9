export { ModerationModule } from './moderation.module.js';
export { moderationErrors } from './moderation.errors.js';
