export { type EventAccount, EventLog, newEvents } from './event-log.js';
export { EventLogModule } from './event-log.module.js';
export { LogRestorations } from './log-restorations.js';
export { EventRepository, type LogReader, NO_EVENTS, storableJson } from './event.repository.js';
export {
  type Audience,
  type EventHead,
  type EventOrigin,
  eventScopes,
  type LoggedEvent,
  type NewEvent,
  type ReaderFlags,
  queuesRemoved,
  SIGNED_OUT,
  signedOut,
} from './event.js';
