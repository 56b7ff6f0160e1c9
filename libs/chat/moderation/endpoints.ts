export { ModerationController } from './moderation.controller.js';
