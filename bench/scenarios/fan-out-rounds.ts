import { amissAmong, type SandboxInbox } from '../load/sandbox-inbox.js';
import type { Faults } from './faults.js';

/**
 * How many requests a sender has under way: enough that it never waits for answers, and so few that all bodies
 * fit into the 64 KiB that a connection of HTTP/2 may have on its way. Beyond that node:http2 leaves single
 * requests behind for seconds, on either side.
 */
export const FAN_OUT_WINDOW = 200;

/** Times rounds in which something goes to many devices, and looks that it came to each of them once. */
export class FanOutRounds {
  constructor(
    private readonly inbox: SandboxInbox,
    private readonly devices: number,
    private readonly faults: Faults,
  ) {}

  /** Devices reached in a second, from the start until the last has shown it. */
  async rateOf(who: string, start: () => Promise<unknown>): Promise<number> {
    await this.inbox.forget();
    const startedAt = performance.now();
    const [arrivals] = await Promise.all([this.inbox.untilShown(this.devices), start()]);
    const seconds = (performance.now() - startedAt) / 1000;
    this.faults.addCount(
      `${who}: not shown exactly once, of ${JSON.stringify(arrivals)}`,
      amissAmong(this.devices, arrivals),
    );
    return this.devices / seconds;
  }
}
