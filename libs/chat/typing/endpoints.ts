import type { Endpoints } from '#platform/http';
import { TypingController } from './typing.controller.js';
import { TypingModule } from './typing.module.js';

export const typingEndpoints: Endpoints = {
  imports: [TypingModule],
  controllers: [TypingController],
};
