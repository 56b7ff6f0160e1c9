export { EphemeralEventsModule } from './ephemeral-events.module.js';
export {
  type EphemeralEvent,
  EphemeralEventPublisher,
  ephemeralEvents,
} from './ephemeral-event-publisher.js';
