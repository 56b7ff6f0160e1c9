import type { PresenceRuntime } from '#presence/server';
import type { SeededRandom } from './seeded-random.js';
import { startSwitchableProxy, type SwitchableProxy } from './switchable-proxy.js';
import { startPresence } from './start-presence.js';
import type { TestDatabase } from './test-stores.js';

/** The probability of a stall per step, and its maximum length in steps. */
const STALL_SHARE = 0.2;
const MAX_STALLED_MOMENTS = 15;

interface PresenceProcess {
  readonly runtime: PresenceRuntime;
  readonly proxy: SwitchableProxy;
  /** The end of the stall of the process; 0 without a stall. */
  stalledUntil: number;
}

/** Several presence processes, each with its own proxy to Redis, which stall at random. */
export class PresenceProcesses {
  readonly #processes: PresenceProcess[] = [];
  #moment = 0;
  /** The offset of the clock of the processes. */
  clockOffsetMs = 0;

  private constructor(private readonly random: SeededRandom) {}

  static async start(
    count: number,
    { database }: TestDatabase,
    redisUrl: string,
    random: SeededRandom,
  ): Promise<PresenceProcesses> {
    const started = new PresenceProcesses(random);
    for (let index = 0; index < count; index += 1) {
      const proxy = await startSwitchableProxy(redisUrl);
      const clock = () => Date.now() + started.clockOffsetMs;
      const runtime = await startPresence(database, { redisUrl: proxy.url, clock });
      started.#processes.push({ runtime, proxy, stalledUntil: 0 });
    }
    return started;
  }

  get runtimes(): PresenceRuntime[] {
    return this.#processes.map(({ runtime }) => runtime);
  }

  /** The proxies to Redis, in a random order. */
  proxies(): SwitchableProxy[] {
    return this.random.shuffled(this.#processes).map(({ proxy }) => proxy);
  }

  /** Waits for one step, in which the traffic to and from Redis may stall. */
  stallAtRandom(): void {
    this.#moment += 1;
    for (const process of this.#processes) {
      if (process.stalledUntil === this.#moment) release(process);
    }
    const process = this.random.pick(this.#processes);
    if (process.stalledUntil !== 0 || this.random.next() > STALL_SHARE) return;
    process.stalledUntil = this.#moment + Math.ceil(this.random.between(0, MAX_STALLED_MOMENTS));
    process.proxy.stall();
  }

  releaseAll(): void {
    this.#processes.forEach(release);
  }

  async stop(): Promise<void> {
    this.releaseAll();
    await Promise.all(this.runtimes.map((runtime) => runtime.stop()));
    await Promise.all(this.#processes.map(({ proxy }) => proxy.stop()));
  }
}

function release(process: PresenceProcess): void {
  process.stalledUntil = 0;
  process.proxy.resume();
}
