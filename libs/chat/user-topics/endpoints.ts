import type { Endpoints } from '#platform/http';
import { UserTopicsController } from './user-topics.controller.js';
import { UserTopicsModule } from './user-topics.module.js';

export const userTopicsEndpoints: Endpoints = {
  imports: [UserTopicsModule],
  controllers: [UserTopicsController],
};
