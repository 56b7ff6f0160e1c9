import { countFaulty, type SandboxInbox } from '../load/sandbox-inbox.js';
import type { Faults } from './faults.js';

/**
 * The number of requests in flight of a sender. It is large enough that the sender never waits for responses, and small
 * enough that all bodies fit into the 64 KiB window of an HTTP/2 connection. Beyond that window, node:http2 delays
 * single requests by seconds, with both designs.
 */
export const FAN_OUT_WINDOW = 200;

/** Measures fan-outs and checks that each device received exactly one notification. */
export class FanOutRounds {
  constructor(
    private readonly inbox: SandboxInbox,
    private readonly devices: number,
    private readonly faults: Faults,
  ) {}

  /** Devices per second, from the start to the last arrival. */
  async rateOf(design: string, start: () => Promise<unknown>): Promise<number> {
    await this.inbox.forget();
    const startedAt = performance.now();
    const [arrivals] = await Promise.all([this.inbox.untilShown(this.devices), start()]);
    const seconds = (performance.now() - startedAt) / 1000;
    this.faults.addCount(
      `${design}: not shown exactly once, of ${JSON.stringify(arrivals)}`,
      countFaulty(this.devices, arrivals),
    );
    return this.devices / seconds;
  }
}
