import type { Endpoints } from '#platform/http';
import { UserStatusController } from './user-status.controller.js';
import { UserStatusModule } from './user-status.module.js';

export const userStatusEndpoints: Endpoints = {
  imports: [UserStatusModule],
  controllers: [UserStatusController],
};
