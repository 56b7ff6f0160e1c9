import type { Endpoints } from '#platform/http';
import { ProfileFieldsController } from './profile-fields.controller.js';
import { ProfileFieldsModule } from './profile-fields.module.js';

export { profileValues } from './profile-fields.schema.js';

export const profileFieldsEndpoints: Endpoints = {
  imports: [ProfileFieldsModule],
  controllers: [ProfileFieldsController],
};
