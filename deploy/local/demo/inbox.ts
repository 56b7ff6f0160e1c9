import { setTimeout as delay } from 'node:timers/promises';
import type { PhonePlatform } from '#push/jobs';
import { LocalStackError } from '../command.js';
import { DemoMismatch, shortened } from './demo-printer.js';

const POLL_MS = 100;
const ARRIVAL_DEADLINE_MS = 20_000;

/** A notification that a phone has received. */
export interface Arrival {
  readonly status: number | null;
  readonly topic: string | null;
  readonly payload: Readonly<Record<string, unknown>>;
  /** The content of an encrypted notification after its decryption; null for any other. */
  readonly decrypted: unknown;
}

/** The notifications of the phones, from the push sandbox. */
export class Inbox {
  constructor(private readonly sandboxUrl: string) {}

  /** The notifications of a phone so far. */
  async shownOn(token: string): Promise<Arrival[]> {
    const url = `${this.sandboxUrl}/api/deliveries?token=${encodeURIComponent(token)}`;
    const response = await fetch(url).catch(() => undefined);
    if (!response?.ok) throw this.#unavailable();
    // The sandbox documents this shape.
    const { deliveries } = (await response.json()) as { deliveries: Arrival[] };
    return deliveries.filter(({ status }) => status === 200);
  }

  /**
   * Waits for the notification with this number on a phone, counted from 1; rejects with DemoMismatch after the deadline.
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

  /** A phone of the sandbox, and the parameters with which its app registers; the key is in base64. */
  async addEncryptedPhone(
    publicKey: string,
  ): Promise<{ token: string; registration: Readonly<Record<string, string>> }> {
    const response = await fetch(`${this.sandboxUrl}/api/phones`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ platform: 'fcm', public_key: publicKey }),
    }).catch(() => undefined);
    if (!response?.ok) throw this.#unavailable();
    // The sandbox documents this shape.
    const { token, registration } = (await response.json()) as {
      token: string;
      registration: Record<string, unknown>;
    };
    const fields = Object.entries(registration).map(([name, value]) => [name, String(value)]);
    return { token, registration: Object.fromEntries(fields) as Record<string, string> };
  }

  /** Makes the sandbox refuse or accept connections for a platform. */
  async setProvider(platform: PhonePlatform, mode: 'ok' | 'down'): Promise<void> {
    const response = await fetch(`${this.sandboxUrl}/api/platforms/${platform}`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ mode }),
    }).catch(() => undefined);
    if (!response?.ok) throw this.#unavailable();
  }

  #unavailable(): LocalStackError {
    return new LocalStackError(`The push sandbox at ${this.sandboxUrl} does not answer.`);
  }
}
