export { type LoadReason, PresenceCounters } from './presence-counters.js';
