export { EphemeralEventsModule } from './ephemeral-events.module.js';
export {
  type EphemeralEvent,
  EPHEMERAL_EVENTS_CHANNEL,
  EphemeralEventPublisher,
  parseEphemeralEvent,
} from './ephemeral-event-publisher.js';
