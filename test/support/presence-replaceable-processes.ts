import { PresenceRuntime } from '#presence/server';
import { type TestDatabase, testRedisUrl } from './test-stores.js';

/** The interval at which a process reads accounts. */
const DIRECTORY_MS = 3000;

/** Presence processes that a test can replace. */
export class ReplaceableProcesses {
  readonly runtimes: PresenceRuntime[] = [];
  #aheadMs = 0;

  constructor(
    private readonly count: number,
    private readonly stores: TestDatabase,
  ) {}

  async start(): Promise<void> {
    for (let index = 0; index < this.count; index += 1) this.runtimes.push(await this.#startOne());
  }

  /** Advances the clock, so that the next poll reads the accounts. */
  letTimePass(): void {
    this.#aheadMs += DIRECTORY_MS;
  }

  async replace(index: number): Promise<void> {
    await this.runtimes[index]?.stop();
    this.runtimes[index] = await this.#startOne();
  }

  async stop(): Promise<void> {
    await Promise.all(this.runtimes.map((runtime) => runtime.stop()));
  }

  async #startOne(): Promise<PresenceRuntime> {
    const runtime = new PresenceRuntime(this.stores.database, {
      redisUrl: testRedisUrl(),
      batchMs: 1,
      flushSeconds: 600,
      limitsAccess: true,
      clock: () => Date.now() + this.#aheadMs,
    });
    await runtime.start();
    return runtime;
  }
}
