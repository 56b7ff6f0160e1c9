import { checkHealth, type HealthReport } from '#platform/core';
import { Controller, Get, ServiceUnavailableException } from '@nestjs/common';
import { ApnsWireServer } from '../apns/apns-wire.server.js';
import { PlatformModesStore } from '../control/platform-modes.store.js';
import { FcmWireServer } from '../fcm/fcm-wire.server.js';
import type { Platform } from '#platform/contracts';
import type { Wire } from '../wire/wire.js';

@Controller('health')
export class HealthController {
  constructor(
    private readonly modes: PlatformModesStore,
    private readonly apns: ApnsWireServer,
    private readonly fcm: FcmWireServer,
  ) {}

  @Get('live')
  live() {
    return { status: 'ok' };
  }

  /** Both providers listen, except one in the mode `down`. */
  @Get('ready')
  async ready(): Promise<HealthReport> {
    const report = await checkHealth([
      { name: 'apns', check: () => this.#expectOpen('apns', this.apns.wires) },
      { name: 'fcm', check: () => this.#expectOpen('fcm', [this.fcm.wire]) },
    ]);
    if (report.status !== 'ok') throw new ServiceUnavailableException(report);
    return report;
  }

  async #expectOpen(platform: Platform, wires: readonly Wire[]): Promise<void> {
    const isExpectedOpen = this.modes.of(platform).mode !== 'down';
    if (isExpectedOpen && !wires.every((wire) => wire.isOpen)) throw new Error('does not listen');
  }
}
