import type { Endpoints } from '#platform/http';
import { LinkifiersController } from './linkifiers.controller.js';
import { LinkifiersModule } from './linkifiers.module.js';

export const linkifiersEndpoints: Endpoints = {
  imports: [LinkifiersModule],
  controllers: [LinkifiersController],
};
