export { PRESENCE_SERVICE, PresenceClientModule } from './presence-client.module.js';
export { PresenceCounters } from './presence-counters.js';
export { PresenceRuntime, type PresenceRuntimeOptions } from './presence-runtime.js';
export { PresenceServiceModule, type PresenceServiceOptions } from './presence-service.module.js';
export { PresenceClient, type PresenceClientOptions } from './rpc/presence-client.js';
export { PresenceServer } from './rpc/presence-server.js';
