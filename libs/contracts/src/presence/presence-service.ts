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

/**
 * What the presence program does for the gateway, whatever carries it.
 *
 * `report` resolves with the finished JSON text of an object: `{"presence_last_update_id":…}` with,
 * unless `pingOnly`, `"server_timestamp"` and `"presences"`. It is made once and passed on as text.
 */
export interface PresenceService {
  report(request: PresenceRequest): Promise<string>;
  changeVisibility(change: VisibilityChange): Promise<void>;
}

/** The server's presence timing, told to clients at registration, in seconds. */
export const presenceTiming = {
  pingIntervalSeconds: 60,
  offlineThresholdSeconds: 200,
  /** A report within this of the stored value changes nothing. */
  updateMinimumSeconds: 55,
  /** A legacy entry counts as active while its last activity trails its connection by no more than this. */
  legacyActiveOffsetSeconds: 70,
  /** How far back a first fetch reaches when the client does not say. */
  defaultHistoryDays: 14,
} as const;
