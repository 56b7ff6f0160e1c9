import type { Endpoints } from '#platform/http';
import { PlaygroundsController } from './playgrounds.controller.js';
import { PlaygroundsModule } from './playgrounds.module.js';

export const playgroundsEndpoints: Endpoints = {
  imports: [PlaygroundsModule],
  controllers: [PlaygroundsController],
};
