import type { Endpoints } from '#platform/http';
import { PresenceController } from './presence.controller.js';

export { addDirectReports } from './direct-reports.js';

/** Needs PresenceClientModule and PresenceReadingModule. */
export const presenceEndpoints: Endpoints = { controllers: [PresenceController] };
