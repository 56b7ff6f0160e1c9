export { PresenceReadingModule } from './presence-reading.module.js';
export { PresenceViewers } from './presence-viewers.js';
export { PresenceReadingService } from './presence-reading.service.js';
export { presenceErrors } from './presence.errors.js';
