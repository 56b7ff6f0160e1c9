import type { PresenceTiming } from '#platform/contracts';

/** The configuration of the program in the answer to clients. */
export interface RealmStateOptions {
  /** The largest file that can be uploaded. */
  readonly largestFileMib: number;
  readonly presenceTiming: Pick<PresenceTiming, 'pingIntervalSeconds' | 'offlineThresholdSeconds'>;
}

/** DI token of the program's RealmStateOptions. */
export const REALM_STATE_OPTIONS = Symbol('RealmStateOptions');
