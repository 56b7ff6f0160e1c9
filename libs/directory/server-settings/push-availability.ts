import type { Session } from '#platform/database';

/** Whether notifications can reach the phones of an organisation. */
export interface RealmPush {
  readonly isEnabled: boolean;
  /** When they can no longer reach them; null without a known end. */
  readonly endsAt: Date | null;
}

/** Whether notifications can reach phones at all. */
export interface PushAvailability {
  /** Whether a provider is configured. Never rejects: without the answer of a store it is the last known one. */
  isConfigured(): Promise<boolean>;
  /** Rejects when PostgreSQL is down. */
  ofRealm(realmId: number, snapshot: Session): Promise<RealmPush>;
}

/** DI token of the program's PushAvailability. */
export const PUSH_AVAILABILITY = Symbol('PushAvailability');
