import { setTimeout as delay } from 'node:timers/promises';
import { LocalStackError } from '../command.js';
import { DemoMismatch } from './demo-mismatch.js';
import { shortened } from './narrator.js';

const POLL_MS = 100;
const ARRIVAL_DEADLINE_MS = 20_000;

/** A notification that a phone has shown. */
export interface Arrival {
  readonly status: number | null;
  readonly topic: string | null;
  readonly payload: Readonly<Record<string, unknown>>;
}

/** The push sandbox's side of the demonstration: what reached which phone. */
export class Inbox {
  constructor(private readonly sandboxUrl: string) {}

  /** What a phone has shown so far. */
  async shownOn(token: string): Promise<Arrival[]> {
    const url = `${this.sandboxUrl}/api/deliveries?token=${encodeURIComponent(token)}`;
    const response = await fetch(url).catch(() => undefined);
    if (!response?.ok) {
      throw new LocalStackError(`The push sandbox at ${this.sandboxUrl} does not answer.`);
    }
    // The sandbox documents this shape.
    const { deliveries } = (await response.json()) as { deliveries: Arrival[] };
    return deliveries.filter(({ status }) => status === 200);
  }

  /** Waits until a phone shows its first notification; rejects with DemoMismatch when none comes. */
  async firstOn(token: string): Promise<Arrival> {
    const deadline = performance.now() + ARRIVAL_DEADLINE_MS;
    while (performance.now() < deadline) {
      const [first] = await this.shownOn(token);
      if (first !== undefined) return first;
      await delay(POLL_MS);
    }
    throw new DemoMismatch(
      `The phone with the token ${shortened(token)} shows the notification`,
      `nothing for ${ARRIVAL_DEADLINE_MS / 1000} s`,
    );
  }
}
