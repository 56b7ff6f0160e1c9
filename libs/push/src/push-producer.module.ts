import { type DynamicModule, Module } from '@nestjs/common';
import { LOGOUT_HURRIER } from '#auth';
import { CLOCK, systemClock } from '#core';
import { QueueModule } from '#queue';
import { AcceptanceRepository } from './accept/acceptance.repository.js';
import { SendTestNotification, TEST_WAIT_MS } from './accept/send-test-notification.js';
import { WakeDeliveries } from './accept/wake-deliveries.js';
import { EnqueueLogout } from './logout/enqueue-logout.js';
import { HurryLogout } from './logout/hurry-logout.js';

/** What a program needs to have notifications sent; needs DatabaseModule. */
@Module({})
export class PushProducerModule {
  static with(options: {
    readonly redisUrl: string;
    readonly queuePrefix?: string;
    /** How long a test notification to one device waits for the provider's answer. */
    readonly testWaitMs: number;
  }): DynamicModule {
    const { redisUrl: url, queuePrefix } = options;
    return {
      module: PushProducerModule,
      imports: [
        QueueModule.connect(queuePrefix === undefined ? { url } : { url, prefix: queuePrefix }),
      ],
      providers: [
        AcceptanceRepository,
        EnqueueLogout,
        SendTestNotification,
        WakeDeliveries,
        { provide: CLOCK, useValue: systemClock },
        { provide: LOGOUT_HURRIER, useClass: HurryLogout },
        { provide: TEST_WAIT_MS, useValue: options.testWaitMs },
      ],
      exports: [LOGOUT_HURRIER, SendTestNotification],
    };
  }
}
