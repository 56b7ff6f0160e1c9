import type { Platform } from '#contracts';

/**
 * What keeps the way to a provider shut: it is in trouble or not to be reached; it asks to wait; or our
 * configuration is at fault, which a person has to mend.
 */
export type GateTrouble = 'outage' | 'throttled' | 'misconfigured';

/** How the way to a provider with one credential stands, in one process. */
export interface GateStatus {
  /** Names the credential, and tells nothing of it: `apns:TEAM123456`, `fcm:chat-prod`. */
  readonly key: string;
  readonly platform: Platform;
  /** `probing`: one push tries whether the provider takes them again. */
  readonly state: 'open' | 'shut' | 'probing';
  /** What kind of trouble keeps it from being open; null while it is. */
  readonly cause: GateTrouble | null;
  /** The same in the provider's or the transport's words. */
  readonly reason: string | null;
  /** Since when it is not open, in UNIX milliseconds; null while it is. */
  readonly since: number | null;
  /** When it tries again by itself, in UNIX milliseconds; null while it is open, or tries already. */
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
