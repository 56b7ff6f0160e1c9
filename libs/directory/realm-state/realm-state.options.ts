/** The configuration of the program in the answer to clients. */
export interface RealmStateOptions {
  /** The largest file that can be uploaded. */
  readonly largestFileMib: number;
  /** When clients report their presence, and from when on a user counts as offline. */
  readonly presenceTiming: {
    readonly pingIntervalSeconds: number;
    readonly offlineThresholdSeconds: number;
  };
}

/** DI token of the program's RealmStateOptions. */
export const REALM_STATE_OPTIONS = Symbol('RealmStateOptions');
