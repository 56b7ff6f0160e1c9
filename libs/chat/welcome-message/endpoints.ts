import type { Endpoints } from '#platform/http';
import { WelcomeMessageController } from './welcome-message.controller.js';
import { WelcomeMessageModule } from './welcome-message.module.js';

export const welcomeMessageEndpoints: Endpoints = {
  imports: [WelcomeMessageModule],
  controllers: [WelcomeMessageController],
};
