import { setTimeout as delay } from 'node:timers/promises';
import { LocalStackError } from '../command.js';
import { DemoMismatch } from './demo-mismatch.js';
import { shortened } from './narrator.js';
import type { Phone } from './phones.js';

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
    if (!response?.ok) throw this.#away();
    // The sandbox documents this shape.
    const { deliveries } = (await response.json()) as { deliveries: Arrival[] };
    return deliveries.filter(({ status }) => status === 200);
  }

  /**
   * Waits until a phone has shown so many notifications since it was new, and resolves with the last of
   * them; rejects with DemoMismatch when it does not come.
   */
  async nthOn(token: string, count: number): Promise<Arrival> {
    const deadline = performance.now() + ARRIVAL_DEADLINE_MS;
    while (performance.now() < deadline) {
      const arrival = (await this.shownOn(token))[count - 1];
      if (arrival !== undefined) return arrival;
      await delay(POLL_MS);
    }
    throw new DemoMismatch(
      `The phone with the token ${shortened(token)} shows the notification`,
      `nothing for ${ARRIVAL_DEADLINE_MS / 1000} s`,
    );
  }

  /** Has the sandbox refuse connections in place of a provider, or serve them again. */
  async setProvider(platform: Phone['platform'], mode: 'ok' | 'down'): Promise<void> {
    const response = await fetch(`${this.sandboxUrl}/api/platforms/${platform}`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ mode }),
    }).catch(() => undefined);
    if (!response?.ok) throw this.#away();
  }

  #away(): LocalStackError {
    return new LocalStackError(`The push sandbox at ${this.sandboxUrl} does not answer.`);
  }
}
