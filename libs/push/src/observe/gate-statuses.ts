import type { Platform } from '#contracts';

/** How the way to a provider with one credential stands, in one process. */
export interface GateStatus {
  /** Names the credential, and tells nothing of it: `apns:TEAM123456`, `fcm:chat-prod`. */
  readonly key: string;
  readonly platform: Platform;
  /** `probing`: one push tries whether the provider takes them again. */
  readonly state: 'open' | 'shut' | 'probing';
  /** Why it is not open, in the provider's or the transport's words; null while it is. */
  readonly cause: string | null;
  /** When it tries again by itself, in UNIX milliseconds; null while it is open, or when a person must. */
  readonly reopensAt: number | null;
}

/** An app whose tokens die in a proportion that nobody believes: none is removed meanwhile. */
export interface PruneAlarm {
  /** Names the app: `apns:org.example.chat`, or `fcm` where there is no telling. */
  readonly key: string;
  readonly platform: Platform;
  /** UNIX milliseconds. */
  readonly since: number;
  /** Tokens called dead, of so many answers, when the alarm was raised. */
  readonly dead: number;
  readonly answers: number;
}

/** What a worker can tell of its ways to the providers. Both return at once. */
export interface GateStatuses {
  all(): readonly GateStatus[];
  alarms(): readonly PruneAlarm[];
}

/** DI token of the GateStatuses. */
export const GATE_STATUSES = Symbol('GateStatuses');
