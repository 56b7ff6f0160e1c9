import { Distribution } from './distribution.js';

const BOUNDS_SECONDS = [
  0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10,
];

/** The durations of the answered calls to the stores in seconds, since the start of this program. */
export const storeCallSeconds = {
  postgresql: new Distribution(BOUNDS_SECONDS),
  redis: new Distribution(BOUNDS_SECONDS),
} as const;

/** Counts a call that began at `startedAt`, of `performance.now()`. It takes about 0.1 µs, with the reading of the clock. */
export function observeStoreCall(store: keyof typeof storeCallSeconds, startedAt: number): void {
  storeCallSeconds[store].observe((performance.now() - startedAt) / 1000);
}
