export { addDirectReports } from './direct-reports.js';
export { PresenceController } from './presence.controller.js';
