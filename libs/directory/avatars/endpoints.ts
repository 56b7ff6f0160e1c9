import type { Endpoints } from '#platform/http';
import { AvatarsController } from './avatars.controller.js';

export const avatarsEndpoints: Endpoints = { controllers: [AvatarsController] };
