import type { Caller } from '#platform/contracts';
import type { RequestKey } from '../acceptance.repository.js';

/** Options of a test notification. */
export interface TestNotificationOptions {
  /** The only device to notify; all devices of the account when left out. */
  readonly token?: string | undefined;
  /** Recognises a repeated request. */
  readonly requestKey?: RequestKey | null;
}

/** Sends test notifications to the own devices of a caller: itself, or through the push service of another server. */
export interface TestNotifications {
  /** Resolves with the number of devices; 0 for a repeated request. Rejects with ApiError. */
  send(caller: Caller, options: TestNotificationOptions): Promise<number>;
  /** The same for one or all client devices. */
  sendEncrypted(caller: Caller, deviceId: number | null): Promise<number>;
}

/** DI token of the TestNotifications. */
export const TEST_NOTIFICATIONS = Symbol('TestNotifications');
