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
  type OnlineQuery,
  onlineQuery,
  type OnlineReading,
  onlineReading,
  type OnlineUser,
  type PresenceRequest,
  presenceRequest,
  type PresenceViewer,
  presenceViewer,
  REALM_NOT_LOADED,
  type SeenTimes,
  tracedRequest,
  type UserPresenceQuery,
  userPresenceQuery,
  type UserReading,
  userReading,
  type VisibilityChange,
  visibilityChange,
} from './messages.js';
export type { PresenceAnswer, PresenceReader, PresenceService } from './presence-service.js';
export { RecurringError } from './recurring-error.js';
