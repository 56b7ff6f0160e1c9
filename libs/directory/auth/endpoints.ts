import type { Endpoints } from '#platform/http';
import { ApiKeyController } from './api-key.controller.js';

/** Needs AuthModule and a FIRST_SIGN_IN. */
export const authEndpoints: Endpoints = { controllers: [ApiKeyController] };
