import type { Endpoints } from '#platform/http';
import { RegisterController } from './register.controller.js';
import { RegisterModule } from './register.module.js';

export const registerEndpoints: Endpoints = {
  imports: [RegisterModule],
  controllers: [RegisterController],
};
