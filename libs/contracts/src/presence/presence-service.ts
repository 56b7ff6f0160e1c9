/** A report of one user's presence and the question that goes with it, as the gateway passes it on. */
export interface PresenceRequest {
  readonly realmId: number;
  readonly userId: number;
  /** UNIX seconds; shown where the user was never active. */
  readonly joinedAt: number;
  readonly status: 'active' | 'idle';
  /** UNIX seconds at which the gateway received the report. */
  readonly reportedAt: number;
  /** False while the user shares no presence: then nothing is written. */
  readonly isVisible: boolean;
  readonly isGuest: boolean;
  /** The organisation has switched presence off: nothing is shown. */
  readonly isRealmPresenceDisabled: boolean;
  readonly pingOnly: boolean;
  readonly lastUpdateId: number | null;
  readonly historyLimitDays: number | null;
  readonly format: 'modern' | 'legacy';
  /** What the response may come compressed with; null: only as text. */
  readonly encoding: BodyEncoding | null;
}

/** A change of whether a user shares presence, to be seen by others at once. */
export interface VisibilityChange {
  readonly realmId: number;
  readonly userId: number;
  readonly joinedAt: number;
  readonly isVisible: boolean;
  /** UNIX seconds. */
  readonly changedAt: number;
}

/** The names are those of HTTP's content codings. */
export const bodyEncodings = ['gzip', 'br'] as const;
export type BodyEncoding = (typeof bodyEncodings)[number];

/** The body of a whole response, envelope and all, compressed once for all who are answered with it. */
export interface CompressedResponse {
  readonly encoding: BodyEncoding;
  readonly body: Buffer;
}

/**
 * The finished JSON text of an object: `{"presence_last_update_id":…}` with, unless `pingOnly`,
 * `"server_timestamp"` and `"presences"`. It is made once and passed on as text. Or the whole response with it,
 * where the request allows that.
 */
export type PresenceAnswer = string | CompressedResponse;

/** What the presence program does for the gateway, whatever carries it. */
export interface PresenceService {
  report(request: PresenceRequest): Promise<PresenceAnswer>;
  changeVisibility(change: VisibilityChange): Promise<void>;
}

/** Rules of the answers' form, which no server tunes. */
export const presenceAnswers = {
  /** A legacy entry counts as active while its last activity trails its connection by no more than this. */
  legacyActiveOffsetSeconds: 70,
  /** How far back a first fetch reaches when the client does not say. */
  defaultHistoryDays: 14,
} as const;
