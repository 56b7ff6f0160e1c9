import type { Endpoints } from '#platform/http';
import { ReactionsController } from './reactions.controller.js';
import { ReactionsModule } from './reactions.module.js';

export const reactionsEndpoints: Endpoints = {
  imports: [ReactionsModule],
  controllers: [ReactionsController],
};
