import type { PhonePlatform, Platform } from '#push/jobs';

/** A token as it is stored. */
export interface StoredToken {
  readonly platform: PhonePlatform;
  readonly token: string;
}

/** The number of rows of a platform that were removed, or marked as dead. */
export interface RemovedDevices {
  readonly platform: Platform;
  readonly devices: number;
}
