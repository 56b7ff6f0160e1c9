import type { Endpoints } from '#platform/http';
import { RelayRegistrationController } from './registration/relay-registration.controller.js';

/** Needs RedisModule. */
export const relayRegistrationEndpoints: Endpoints = { controllers: [RelayRegistrationController] };
