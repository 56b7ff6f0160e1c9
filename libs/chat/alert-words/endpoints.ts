import type { Endpoints } from '#platform/http';
import { AlertWordsController } from './alert-words.controller.js';
import { AlertWordsModule } from './alert-words.module.js';

export const alertWordsEndpoints: Endpoints = {
  imports: [AlertWordsModule],
  controllers: [AlertWordsController],
};
