export { PresenceRuntime, type PresenceRuntimeOptions } from './presence-runtime.js';
export { PresenceServer } from './presence-server.js';
export { PresenceServiceModule } from './presence-service.module.js';
