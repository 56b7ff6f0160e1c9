import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { PUSH_KEY_SECRET } from '#push/tokens';
import { WebPushKeys, WebPushKeyUnreadable } from '#push/providers';
import { PROVIDER_TRANSPORTS } from './credential-rotation.js';
import type { ProviderTransports } from './open-transports.js';

/** Gives the keys to the transport. */
@Injectable()
export class WebPushKeyBinding implements OnApplicationBootstrap {
  constructor(
    private readonly keys: WebPushKeys,
    @Inject(PROVIDER_TRANSPORTS) private readonly opened: Pick<ProviderTransports, 'webPushKeys'>,
    @Inject(PUSH_KEY_SECRET) private readonly secret: Buffer | null,
  ) {
    opened.webPushKeys?.use(keys);
  }

  /** Rejects with WebPushKeyUnreadable for a wrong secret: every push would fail. A store that is down is no reason. */
  async onApplicationBootstrap(): Promise<void> {
    if (this.opened.webPushKeys === undefined || this.secret === null) return;
    await this.keys.assertReadable().catch((error: unknown) => {
      if (error instanceof WebPushKeyUnreadable) throw error;
    });
  }
}
