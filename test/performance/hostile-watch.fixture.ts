import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import type { OrdinaryClientPlan, OrdinaryTimes } from '#test/ordinary-client';
import type { System } from '#test/start-system';
import { percentile } from '../../bench/measure/percentile.js';

const CLIENT = './dist/test/support/ordinary-client.js';
const WINDOW_MS = 100;
const LONG_HOLD_MS = 50;
const SHOWN = 12;

/** The requests of another account, from a process of its own. */
export class OrdinaryClient {
  readonly #child: ChildProcess;

  constructor(plan: OrdinaryClientPlan) {
    this.#child = fork(CLIENT, [JSON.stringify(plan)]);
  }

  /** What it has seen since the last call. */
  async take(): Promise<OrdinaryTimes> {
    this.#child.send('take');
    // The client answers in this form.
    const [times] = (await once(this.#child, 'message')) as [OrdinaryTimes];
    return times;
  }

  stop(): void {
    this.#child.kill();
  }
}

/** `presence p50 3 (1 busy), p99 12 (8 busy)`, in milliseconds, and the same of the other kinds. */
export const timesText = ({ ms, busyMs }: OrdinaryTimes): string =>
  Object.entries(ms)
    .map(([kind, times]) => {
      const texts = [0.5, 0.99].map((part) => {
        const [all, busy] = [times, busyMs[kind] ?? []].map((some) => percentile(some, part));
        return `p${part * 100} ${all?.toFixed(0)} (${busy?.toFixed(0)} busy)`;
      });
      return `${kind} ${texts.join(', ')}`;
    })
    .join('; ');

/** Asks the gateway for its event loop and its memory, and remembers which requests ran during long holds. */
export class GatewayWatch {
  longestHoldMs = 0;
  peakBytes = 0;
  #peakParts: Readonly<Record<string, number>> = {};
  readonly #holds: { readonly heldMs: number; readonly names: readonly string[] }[] = [];
  readonly #windows = new Map<string, { all: number; long: number }>();
  readonly #running = new Map<symbol, string>();
  readonly #recent = new Set<string>();

  constructor(private readonly system: System) {}

  /** The memory of the gateway now, in bytes. */
  async memory(): Promise<number> {
    return (await this.system.costOf('api-gateway', 'last cost')).bytes;
  }

  async during<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
    const key = Symbol(name);
    this.#running.set(key, name);
    this.#recent.add(name);
    try {
      return await work();
    } finally {
      this.#running.delete(key);
    }
  }

  /** Watches until the signal. */
  async run(signal: AbortSignal): Promise<void> {
    await this.system.costOf('api-gateway');
    while (!signal.aborted) {
      await delay(WINDOW_MS);
      const { heldMs, peakBytes, peakParts } = await this.system.costOf('api-gateway');
      if (peakBytes > this.peakBytes) this.#peakParts = peakParts;
      this.peakBytes = Math.max(this.peakBytes, peakBytes);
      this.longestHoldMs = Math.max(this.longestHoldMs, heldMs);
      this.#note(heldMs);
    }
    await this.system.costOf('api-gateway', 'last cost');
  }

  #note(heldMs: number): void {
    const names = [...this.#recent];
    this.#recent.clear();
    for (const name of this.#running.values()) this.#recent.add(name);
    const isLong = heldMs > LONG_HOLD_MS;
    for (const name of names) {
      const windows = this.#windows.get(name) ?? { all: 0, long: 0 };
      windows.all += 1;
      if (isLong) windows.long += 1;
      this.#windows.set(name, windows);
    }
    if (isLong) this.#holds.push({ heldMs, names });
  }

  /** The longest holds with the requests that ran, and the requests during which most holds were long. */
  report(): string {
    const holds = this.#holds.toSorted((one, other) => other.heldMs - one.heldMs).slice(0, SHOWN);
    const suspects = [...this.#windows]
      .filter(([, { long }]) => long > 1)
      .toSorted(([, one], [, other]) => other.long / other.all - one.long / one.all)
      .slice(0, SHOWN);
    const parts = Object.entries(this.#peakParts).map(
      ([name, bytes]) => `${name} ${(bytes / 1_000_000).toFixed(0)}`,
    );
    return [
      `the most memory, in MB: ${parts.join(', ')}`,
      `${this.#holds.length} holds of more than ${LONG_HOLD_MS} ms; the longest, with the requests that ran:`,
      ...holds.map(({ heldMs, names }) => `  ${heldMs.toFixed(0)} ms: ${names.join(' | ')}`),
      'The requests with the largest share of long holds:',
      ...suspects.map(([name, { all, long }]) => `  ${long} of ${all}: ${name}`),
    ].join('\n');
  }
}
