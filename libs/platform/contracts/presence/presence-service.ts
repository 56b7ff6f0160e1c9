/** The user who reads the presence of others. */
export interface PresenceViewer {
  readonly realmId: number;
  readonly userId: number;
  readonly isGuest: boolean;
  /**
   * For a guest: the host of the substitute addresses of users whom the guest cannot see. Gateways of an older release
   * omit it; then lists with addresses omit these users.
   */
  readonly substituteHost?: string | undefined;
}

/** A presence report of one user, and the request for the presence of others. */
export interface PresenceRequest extends PresenceViewer {
  /** UNIX seconds; the default for a user who was never active. */
  readonly joinedAt: number;
  readonly status: 'active' | 'idle';
  /** UNIX seconds at which the gateway received the report. */
  readonly reportedAt: number;
  /**
   * UNIX seconds at which the gateway sends the request, by the same clock; with it, presence recognises a clock that is
   * behind. Gateways of an older release omit it.
   */
  readonly sentAt?: number | undefined;
  /** False while the user does not share presence: nothing is written. */
  readonly isVisible: boolean;
  /** The organisation has disabled presence: nothing is shown. */
  readonly isRealmPresenceDisabled: boolean;
  readonly pingOnly: boolean;
  readonly lastUpdateId: number | null;
  readonly historyLimitDays: number | null;
  readonly format: 'modern' | 'legacy';
  /** The accepted compression of the response; null for text only. */
  readonly encoding: BodyEncoding | null;
}

/** A user starts or stops sharing presence; others see it at once. */
export interface VisibilityChange {
  readonly realmId: number;
  readonly userId: number;
  readonly joinedAt: number;
  readonly isVisible: boolean;
  /** UNIX seconds. */
  readonly changedAt: number;
  /** See PresenceRequest. */
  readonly sentAt?: number | undefined;
  /** Another process publishes this change; apply it locally until then. */
  readonly isCopy?: boolean | undefined;
}

/** A request for the presence of one user of the viewer's organisation. */
export interface UserPresenceQuery extends PresenceViewer {
  readonly askedUserId: number;
}

/** The last presence of a user, in UNIX seconds. */
export interface SeenTimes {
  /** 0: never reported active. */
  readonly activeAt: number;
  readonly idleAt: number;
}

/** The last presence of a user; `unknown` without data; `notAllowed` if the viewer cannot see the user. */
export type UserReading = SeenTimes | 'unknown' | 'notAllowed';

/**
 * HTTP content codings in the order of preference: `br` is faster and smaller.
 */
export const bodyEncodings = ['br', 'gzip'] as const;
export type BodyEncoding = (typeof bodyEncodings)[number];

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

/**
 * A request for the users who came online after an update id, for accounts that may see the same users: the viewer, and
 * further viewers if the viewer is not a guest.
 */
export interface OnlineQuery extends PresenceViewer {
  readonly furtherViewers: readonly number[];
  /** An update id. */
  readonly aboveId: number;
}

/** A user who came online, with the newest times in UNIX seconds. */
export interface OnlineUser extends SeenTimes {
  readonly userId: number;
  readonly email: string;
  /** The update id with which the user came online. */
  readonly onlineId: number;
}

/** The users who came online and still are, in the order of their update ids. */
export interface OnlineReading {
  readonly users: readonly OnlineUser[];
  /** The reading contains everything up to this update id. */
  readonly position: number;
}

/** The service of the presence program for the gateway, independent of the transport. */
export interface PresenceService extends PresenceReader {
  report(request: PresenceRequest): Promise<PresenceAnswer>;
  changeVisibility(change: VisibilityChange): Promise<void>;
  /** Rejects when the result is not available in time. */
  readOnline(query: OnlineQuery): Promise<OnlineReading>;
}

/** Constants of the responses; no server changes them. */
export const presenceAnswers = {
  /** A legacy entry is active while its last activity is at most this much older than its last connection. */
  legacyActiveOffsetSeconds: 70,
  /** The default history of a first fetch. */
  defaultHistoryDays: 14,
} as const;
