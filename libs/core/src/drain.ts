import { setTimeout as delay } from 'node:timers/promises';
import type { HealthCheck } from './health.js';

/**
 * The time between being asked to stop and closing the port. A balancer that asks for readiness learns in it to send
 * nothing new; what still arrives is answered as always.
 */
export class Drain {
  #isDraining = false;

  /** Zero closes at once. */
  constructor(private readonly delayMs: number) {}

  get isDraining(): boolean {
    return this.#isDraining;
  }

  /** Resolves when the port may be closed. */
  async run(): Promise<void> {
    this.#isDraining = true;
    if (this.delayMs > 0) await delay(this.delayMs);
  }

  readonly healthCheck: HealthCheck = {
    name: 'shutdown',
    check: async () => {
      if (this.#isDraining) throw new Error('the program is stopping');
    },
  };
}
