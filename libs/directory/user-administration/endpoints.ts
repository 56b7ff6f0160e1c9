import type { Endpoints } from '#platform/http';
import { UserAdministrationController } from './user-administration.controller.js';
import { UserAdministrationModule } from './user-administration.module.js';

export const userAdministrationEndpoints: Endpoints = {
  imports: [UserAdministrationModule],
  controllers: [UserAdministrationController],
};
