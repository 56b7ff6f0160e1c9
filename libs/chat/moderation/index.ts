export { moderationErrors } from './moderation.errors.js';
