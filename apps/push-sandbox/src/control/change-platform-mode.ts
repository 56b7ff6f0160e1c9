import { Injectable } from '@nestjs/common';
import { ApnsWireServer } from '../apns/apns-wire.server.js';
import { FcmWireServer } from '../fcm/fcm-wire.server.js';
import type { PlatformMode } from '../wire/platform-mode.js';
import type { Platform } from '../wire/platform.js';
import { PlatformModesStore } from './platform-modes.store.js';

/** Makes a provider behave in a mode; when this resolves, its connections already do. */
@Injectable()
export class ChangePlatformMode {
  constructor(
    private readonly modes: PlatformModesStore,
    private readonly apns: ApnsWireServer,
    private readonly fcm: FcmWireServer,
  ) {}

  async execute(platform: Platform, mode: PlatformMode): Promise<void> {
    this.modes.set(platform, mode);
    const wires = platform === 'apns' ? this.apns.wires : [this.fcm.wire];
    await Promise.all(wires.map((wire) => wire.enter(mode)));
  }
}
