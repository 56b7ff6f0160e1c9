import type { BodyEncoding } from '#platform/contracts';
import type {
  OnlineQuery,
  OnlineReading,
  PresenceRequest,
  PresenceViewer,
  UserPresenceQuery,
  UserReading,
  VisibilityChange,
} from './messages.js';

/** The compressed body of a whole response with its envelope, shared by all its readers. */
interface CompressedAnswer {
  readonly encoding: BodyEncoding;
  readonly body: Buffer;
}

/**
 * The JSON text of an object: `{"presence_last_update_id":…}`, with `"server_timestamp"` and `"presences"` unless
 * `pingOnly`. It is rendered once and passed on as text. Or the whole compressed response, if the request accepts it.
 */
export type PresenceAnswer = string | CompressedAnswer;

/** Reads presence. Both methods reject when the result is not available in time. */
export interface PresenceReader {
  /**
   * The JSON text `{"server_timestamp":…,"presences":…}` in the legacy format, with the visible users of the last days.
   * Users whom a guest cannot identify have a substitute address.
   */
  readRealm(viewer: PresenceViewer): Promise<string>;
  readUser(query: UserPresenceQuery): Promise<UserReading>;
}

/** The service of the presence program for the gateway, independent of the transport. */
export interface PresenceService extends PresenceReader {
  report(request: PresenceRequest): Promise<PresenceAnswer>;
  changeVisibility(change: VisibilityChange): Promise<void>;
  /** Rejects when the result is not available in time. */
  readOnline(query: OnlineQuery): Promise<OnlineReading>;
}
