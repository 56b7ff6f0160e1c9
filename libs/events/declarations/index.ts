export {
  type CapabilityEvents,
  declaredEvents,
  DeclaresEvents,
  type EventReader,
  type EventType,
  type StateRequest,
} from './capability-events.js';
export {
  clientCapabilities,
  type ClientCapability,
  formKeyOf,
  isCapable,
  type QueueOptions,
} from './queue-options.js';
