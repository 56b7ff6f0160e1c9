import { Body, Controller, Get, Param, Put } from '@nestjs/common';
import { ApnsServer } from '../apns/apns.server.js';
import { FcmServer } from '../fcm/fcm.server.js';
import {
  type PlatformMode,
  platformModeSchema,
  type SandboxPlatform,
} from '../provider/platform.js';
import { WebPushServer } from '../web/web-push.server.js';
import { platformSchema } from './control-input.schema.js';
import { PlatformModesStore } from './platform-modes.store.js';

/** The control API for the modes of the providers. */
@Controller('api/platforms')
export class PlatformsController {
  constructor(
    private readonly modes: PlatformModesStore,
    private readonly apns: ApnsServer,
    private readonly fcm: FcmServer,
    private readonly web: WebPushServer,
  ) {}

  @Get()
  listModes() {
    return this.modes.all();
  }

  /** Resolves when all open connections are in the mode. */
  @Put(':platform')
  async setMode(
    @Param('platform', { schema: platformSchema }) platform: SandboxPlatform,
    @Body({ schema: platformModeSchema }) mode: PlatformMode,
  ) {
    this.modes.set(platform, mode);
    const { listeners } = { apns: this.apns, fcm: this.fcm, web: this.web }[platform];
    await Promise.all(listeners.map((listener) => listener.enter(mode)));
    return mode;
  }
}
