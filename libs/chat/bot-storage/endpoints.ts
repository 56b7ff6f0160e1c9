import type { Endpoints } from '#platform/http';
import { BotStorageController } from './bot-storage.controller.js';
import { BotStorageModule } from './bot-storage.module.js';

export const botStorageEndpoints: Endpoints = {
  imports: [BotStorageModule],
  controllers: [BotStorageController],
};
