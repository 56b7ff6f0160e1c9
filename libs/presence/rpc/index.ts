export {
  type Frame,
  type FrameKind,
  frameKindNames,
  frameKinds,
  FrameReader,
  FrameWriter,
  MalformedFrame,
  type FrameReading,
} from './frame.js';
export {
  connectionKey,
  GatewayHandshake,
  HANDSHAKE_TIMEOUT_MS,
  HandshakeFailed,
  MAX_HANDSHAKE_BYTES,
  PresenceHandshake,
} from './handshake.js';
export {
  MAX_ONLINE_VIEWERS,
  onlineQuery,
  onlineReading,
  REALM_NOT_LOADED,
  presenceRequest,
  presenceViewer,
  tracedRequest,
  userPresenceQuery,
  userReading,
  visibilityChange,
} from './messages.js';
export { RecurringError } from './recurring-error.js';
