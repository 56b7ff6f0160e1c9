import { Inject, Injectable } from '@nestjs/common';
import { platforms } from '#platform/contracts';
import { Metrics } from '#platform/telemetry';
import { DeviceAgeRepository } from '#push/devices';
import { RELAY_SETTINGS, type RelaySettings } from '#push/relay';
import { ClientTokens } from '../client-tokens.js';
import { TokenAgeing } from './token-ageing.js';

/** Ends old tokens of the phones of this installation. On a server that relays, its push service ends them. */
@Injectable()
export class OwnTokenCleanup {
  readonly #removed;

  constructor(
    private readonly devices: DeviceAgeRepository,
    private readonly clients: ClientTokens,
    private readonly ageing: TokenAgeing,
    @Inject(RELAY_SETTINGS) private readonly relay: RelaySettings | null,
    metrics: Metrics,
  ) {
    this.#removed = metrics.counter({
      name: 'carillon_push_collected_total',
      help: 'Tokens of phones that were removed without a delivery, by the reason.',
      labels: ['platform', 'reason'],
    });
    for (const platform of platforms) this.#removed.add({ platform, reason: 'aged_out' }, 0);
  }

  /** One pass; `now` is the time of the database in UNIX milliseconds. Rejects when a store is down. */
  async removeStale(now: number): Promise<void> {
    if (this.relay !== null) return;
    for (const tokens of [this.devices, this.clients]) {
      await this.ageing.run(tokens, now, (platform, aged) =>
        this.#removed.add({ platform, reason: 'aged_out' }, aged),
      );
    }
  }
}
