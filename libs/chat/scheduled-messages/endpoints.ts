import type { Endpoints } from '#platform/http';
import { ScheduledMessagesController } from './scheduled-messages.controller.js';
import { ScheduledMessagesModule } from './scheduled-messages.module.js';

export const scheduledMessagesEndpoints: Endpoints = {
  imports: [ScheduledMessagesModule],
  controllers: [ScheduledMessagesController],
};
