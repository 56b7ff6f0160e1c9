import { Distribution } from './distribution.js';

const BOUNDS_SECONDS = [
  0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10,
];

/** The durations of the answered calls to the stores in seconds, since the start of this program. */
export const storeCallSeconds = {
  postgresql: new Distribution(BOUNDS_SECONDS),
  redis: new Distribution(BOUNDS_SECONDS),
} as const;

type Store = keyof typeof storeCallSeconds;

/** A call to a store that has ended now. */
export interface EndedStoreCall {
  readonly store: Store;
  /** The name of the statement, or the command. */
  readonly name: string;
  /** Of `performance.now()`. */
  readonly startedAt: number;
  /** The error of a failed call. */
  readonly error?: unknown;
}

let onEnded: ((call: EndedStoreCall) => void) | undefined;

/** Sets the listener for every later call of this process. It is called in the async context of the caller. */
export function setStoreCallListener(listener: (call: EndedStoreCall) => void): void {
  onEnded = listener;
}

/** Counts a call that began at `startedAt`, of `performance.now()`. It takes about 0.1 µs, with the reading of the clock. */
export function observeStoreCall(store: Store, name: string, startedAt: number): void {
  storeCallSeconds[store].observe((performance.now() - startedAt) / 1000);
  onEnded?.({ store, name, startedAt });
}

/** The same for a call that has failed. It is not counted. */
export function observeFailedStoreCall(
  store: Store,
  name: string,
  startedAt: number,
  error: unknown,
): void {
  onEnded?.({ store, name, startedAt, error });
}
