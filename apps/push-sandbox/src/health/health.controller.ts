import { checkHealth, type HealthReport } from '#platform/core';
import { Controller, Get, ServiceUnavailableException } from '@nestjs/common';
import { ApnsServer } from '../apns/apns.server.js';
import { PlatformModesStore } from '../control/platform-modes.store.js';
import { FcmServer } from '../fcm/fcm.server.js';
import type { Platform } from '#push/jobs';
import type { ProviderListener } from '../provider/provider-listener.js';

@Controller('health')
export class HealthController {
  constructor(
    private readonly modes: PlatformModesStore,
    private readonly apns: ApnsServer,
    private readonly fcm: FcmServer,
  ) {}

  @Get('live')
  live() {
    return { status: 'ok' };
  }

  /** Both providers listen, except one in the mode `down`. */
  @Get('ready')
  async ready(): Promise<HealthReport> {
    const report = await checkHealth([
      { name: 'apns', check: () => this.#expectOpen('apns', this.apns.listeners) },
      { name: 'fcm', check: () => this.#expectOpen('fcm', [this.fcm.listener]) },
    ]);
    if (report.status !== 'ok') throw new ServiceUnavailableException(report);
    return report;
  }

  async #expectOpen(platform: Platform, listeners: readonly ProviderListener[]): Promise<void> {
    const isExpectedOpen = this.modes.of(platform).mode !== 'down';
    if (isExpectedOpen && !listeners.every((listener) => listener.isOpen))
      throw new Error('does not listen');
  }
}
