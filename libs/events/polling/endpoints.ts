import type { Endpoints } from '#platform/http';
import { EventsController } from './events.controller.js';

export { addDirectPolls } from './direct-polls.js';

/** Needs PollingModule. */
export const pollingEndpoints: Endpoints = { controllers: [EventsController] };
