export { CallCounters, observeCalls } from './client-metrics.js';
export { PRESENCE_SERVICE, PresenceClientModule } from './presence-client.module.js';
export { PresenceClient } from './presence-client.js';
export { PresenceReadingModule } from './presence-reading.module.js';
export { PresenceViewers } from './presence-viewers.js';
export { PresenceReadingService } from './presence-reading.service.js';
export { presenceErrors } from './presence.errors.js';
