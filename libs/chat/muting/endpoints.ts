import type { Endpoints } from '#platform/http';
import { MutedUsersController } from './muted-users.controller.js';
import { MutedUsersModule } from './muted-users.module.js';

export const mutedUsersEndpoints: Endpoints = {
  imports: [MutedUsersModule],
  controllers: [MutedUsersController],
};
