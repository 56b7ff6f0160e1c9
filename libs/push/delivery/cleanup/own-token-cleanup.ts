import { Injectable } from '@nestjs/common';
import { phonePlatforms } from '#push/jobs';
import { Metrics } from '#platform/telemetry';
import { ClientTokens, DeviceAgeRepository } from '#push/devices';
import type { TokenCleanup } from './stale-token-cleanup.js';
import { TokenAgeing } from './token-ageing.js';

/** Ends old tokens of the devices of this installation. */
@Injectable()
export class OwnTokenCleanup implements TokenCleanup {
  readonly #removed;

  constructor(
    private readonly devices: DeviceAgeRepository,
    private readonly clients: ClientTokens,
    private readonly ageing: TokenAgeing,
    metrics: Metrics,
  ) {
    this.#removed = metrics.counter({
      name: 'carillon_push_collected_total',
      help: 'Tokens of phones that were removed without a delivery, by the reason.',
      labels: ['platform', 'reason'],
    });
    for (const platform of phonePlatforms) this.#removed.add({ platform, reason: 'aged_out' }, 0);
  }

  async removeStale(now: number): Promise<void> {
    for (const tokens of [this.devices, this.clients]) {
      await this.ageing.run(tokens, now, (platform, aged) =>
        this.#removed.add({ platform, reason: 'aged_out' }, aged),
      );
    }
  }
}
