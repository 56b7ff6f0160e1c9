import type { Endpoints } from '#platform/http';
import { ServerSettingsController } from './server-settings.controller.js';
import { ServerSettingsModule } from './server-settings.module.js';

export const serverSettingsEndpoints: Endpoints = {
  imports: [ServerSettingsModule],
  controllers: [ServerSettingsController],
};
