export { CallCounters, observeCalls } from './client-metrics.js';
export {
  CallFailed,
  ConnectionLost,
  DeadlineExceeded,
  PresenceUnavailable,
} from './client-connection.js';
export { PRESENCE_SERVICE, PresenceClientModule } from './presence-client.module.js';
export { PresenceClient } from './presence-client.js';
