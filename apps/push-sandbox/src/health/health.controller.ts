import { checkHealth, type HealthReport } from '#platform/core';
import { Controller, Get, ServiceUnavailableException } from '@nestjs/common';
import { ApnsServer } from '../apns/apns.server.js';
import { PlatformModesStore } from '../control/platform-modes.store.js';
import { FcmServer } from '../fcm/fcm.server.js';
import type { SandboxPlatform } from '../provider/platform.js';
import type { ProviderListener } from '../provider/provider-listener.js';
import { WebPushServer } from '../web/web-push.server.js';

@Controller('health')
export class HealthController {
  constructor(
    private readonly modes: PlatformModesStore,
    private readonly apns: ApnsServer,
    private readonly fcm: FcmServer,
    private readonly web: WebPushServer,
  ) {}

  @Get('live')
  live() {
    return { status: 'ok' };
  }

  /** All providers listen, except one in the mode `down`. */
  @Get('ready')
  async ready(): Promise<HealthReport> {
    const report = await checkHealth([
      { name: 'apns', check: () => this.#expectOpen('apns', this.apns.listeners) },
      { name: 'fcm', check: () => this.#expectOpen('fcm', this.fcm.listeners) },
      { name: 'web', check: () => this.#expectOpen('web', this.web.listeners) },
    ]);
    if (report.status !== 'ok') throw new ServiceUnavailableException(report);
    return report;
  }

  async #expectOpen(
    platform: SandboxPlatform,
    listeners: readonly ProviderListener[],
  ): Promise<void> {
    const isExpectedOpen = this.modes.of(platform).mode !== 'down';
    if (isExpectedOpen && !listeners.every((listener) => listener.isOpen))
      throw new Error('does not listen');
  }
}
