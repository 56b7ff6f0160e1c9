export { PresenceController } from './presence.controller.js';
