import type { Endpoints } from '#platform/http';
import { UsersController } from './users.controller.js';
import { UsersModule } from './users.module.js';

export { newFullNameParameter, userParameter } from './users.schema.js';

export const usersEndpoints: Endpoints = { imports: [UsersModule], controllers: [UsersController] };
