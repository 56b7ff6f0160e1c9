export {
  capabilitiesWithState,
  type CapabilityEvents,
  type DeclaredTypes,
  declaredTypes,
  DeclaresEvents,
  type EventReader,
  type EventType,
  type Merging,
  type SharedMembers,
  type StateRequest,
} from './capability-events.js';
export { IS_GUEST, type IsGuest } from './guests.js';
export {
  declaredTransientEvents,
  DeclaresTransientEvents,
  type TransientChanges,
  type TransientEvents,
  type TransientReader,
  type TransientStateRequest,
  wantsType,
} from './transient-events.js';
export {
  clientCapabilities,
  type ClientCapability,
  formKeyOf,
  isCapable,
  type QueueOptions,
} from './queue-options.js';
