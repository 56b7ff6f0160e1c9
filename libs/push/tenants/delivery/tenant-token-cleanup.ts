import { Injectable } from '@nestjs/common';
import { Metrics } from '#platform/telemetry';
import type { RemovedDevices } from '#push/tokens';
import { StaleTenantDevicesRepository } from '../devices/stale-tenant-devices.repository.js';
import { TokenAgeing, type TokenCleanup } from '#push/delivery';

const DAY_MS = 86_400_000;
const PAGE = 1000;
const MAX_PAGES = 50;
/** How long dead tokens, and those of ended servers and organisations, are kept. */
const KEPT_MS = 30 * DAY_MS;

/** Removes expired and old tokens of servers. */
@Injectable()
export class TenantTokenCleanup implements TokenCleanup {
  readonly #removed;

  constructor(
    private readonly rows: StaleTenantDevicesRepository,
    private readonly ageing: TokenAgeing,
    metrics: Metrics,
  ) {
    this.#removed = metrics.counter({
      name: 'carillon_push_service_collected_total',
      help: 'Tokens of remote servers that were removed, by the reason.',
      labels: ['platform', 'reason'],
    });
  }

  async removeStale(now: number): Promise<void> {
    const before = new Date(now - KEPT_MS);
    await this.#remove('expired', (limit) => this.rows.forgetExpired(before, limit));
    await this.#remove('server', (limit) => this.rows.forgetOfDeactivated(before, limit));
    await this.#remove('organisation', (limit) => this.rows.forgetOfDeleted(before, limit));
    await this.rows.forgetRealms(before, PAGE);
    await this.ageing.run(this.rows, now, (platform, aged) =>
      this.#removed.add({ platform, reason: 'aged_out' }, aged),
    );
  }

  async #remove(
    reason: string,
    remove: (limit: number) => Promise<readonly RemovedDevices[]>,
  ): Promise<void> {
    for (let page = 0; page < MAX_PAGES; page += 1) {
      const removed = await remove(PAGE);
      for (const { platform, devices } of removed) {
        this.#removed.add({ platform, reason }, devices);
      }
      if (removed.reduce((sum, { devices }) => sum + devices, 0) < PAGE) return;
    }
  }
}
