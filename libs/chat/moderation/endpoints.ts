import type { Endpoints } from '#platform/http';
import { ModerationController } from './moderation.controller.js';
import { ModerationModule } from './moderation.module.js';

export const moderationEndpoints: Endpoints = {
  imports: [ModerationModule],
  controllers: [ModerationController],
};
