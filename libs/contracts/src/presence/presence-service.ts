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
  /** Whether the user did something since the last report; for usage statistics. */
  readonly hasNewInput: boolean;
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
  /** Another process has been told to publish it: it is only to be gone by until that has been done. */
  readonly isCopy?: boolean | undefined;
}

/** Who asks for the presence of others without reporting. */
export interface PresenceViewer {
  readonly realmId: number;
  readonly userId: number;
  readonly isGuest: boolean;
}

/** A question for when one user of the viewer's organisation was seen. */
export interface UserPresenceQuestion extends PresenceViewer {
  readonly askedUserId: number;
}

/** When a user was seen, in UNIX seconds. */
export interface SeenTimes {
  /** 0: never reported active. */
  readonly activeAt: number;
  readonly idleAt: number;
}

/** When a user was seen; or that nothing is known of it, or that the viewer may not see them. */
export type UserReading = SeenTimes | 'unknown' | 'notAllowed';

/**
 * The names are those of HTTP's content codings. Where a client likes several equally, the first is taken: `br` is made
 * in less time and is smaller.
 */
export const bodyEncodings = ['br', 'gzip'] as const;
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

/** What is read of presence. Either rejects when it cannot be told in time. */
export interface PresenceReading {
  /**
   * The finished JSON text `{"server_timestamp":…,"presences":…}`: those whom the viewer may see and who were
   * seen in the last days, in the legacy format.
   */
  readRealm(viewer: PresenceViewer): Promise<string>;
  readUser(question: UserPresenceQuestion): Promise<UserReading>;
}

/** What the presence program does for the gateway, whatever carries it. */
export interface PresenceService extends PresenceReading {
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
