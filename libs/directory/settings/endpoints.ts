import type { Endpoints } from '#platform/http';
import { SettingsController } from './settings.controller.js';
import { SettingsModule } from './settings.module.js';

export const settingsEndpoints: Endpoints = {
  imports: [SettingsModule],
  controllers: [SettingsController],
};
