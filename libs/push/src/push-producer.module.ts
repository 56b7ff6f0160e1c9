import { type DynamicModule, Module } from '@nestjs/common';
import { LOGOUT_HURRIER } from '#auth';
import { CLOCK, systemClock } from '#core';
import { MESSAGE_NOTIFIER } from '#messages';
import { QUEUE_PREFIX, QueueModule } from '#queue';
import { AcceptanceRepository } from './accept/acceptance.repository.js';
import { SendTestNotification, TEST_WAIT_MS } from './accept/send-test-notification.js';
import { WakeDeliveries } from './accept/wake-deliveries.js';
import { EnqueueLogout } from './logout/enqueue-logout.js';
import { HurryLogout } from './logout/hurry-logout.js';
import { MessageNotificationRepository } from './messages/message-notification.repository.js';
import { NotifyOfMessages } from './messages/notify-of-messages.js';
import { PushObserveModule } from './observe/observe.module.js';
import { TIME_TO_LIVE, timeToLiveOf } from './time-to-live.js';

/** How a program has notifications sent. */
export interface PushProducerOptions {
  readonly redisUrl: string;
  readonly queuePrefix?: string;
  /** How long a test notification to one device waits for the provider's answer. */
  readonly testWaitMs: number;
  /** How long a notification may wait before it is dropped rather than sent late. */
  readonly timeToLiveMs: number;
}

/** What a program needs to have notifications sent; needs DatabaseModule. Messages find their notifier here. */
@Module({})
export class PushProducerModule {
  static with(options: PushProducerOptions): DynamicModule {
    const { redisUrl, queuePrefix: prefix = QUEUE_PREFIX } = options;
    return {
      module: PushProducerModule,
      global: true,
      imports: [
        QueueModule.connect({ url: redisUrl, prefix }),
        PushObserveModule.with({ redisUrl, prefix }),
      ],
      providers: [
        AcceptanceRepository,
        EnqueueLogout,
        MessageNotificationRepository,
        NotifyOfMessages,
        SendTestNotification,
        WakeDeliveries,
        { provide: CLOCK, useValue: systemClock },
        { provide: LOGOUT_HURRIER, useClass: HurryLogout },
        { provide: MESSAGE_NOTIFIER, useExisting: NotifyOfMessages },
        { provide: TEST_WAIT_MS, useValue: options.testWaitMs },
        { provide: TIME_TO_LIVE, useValue: timeToLiveOf(options.timeToLiveMs) },
      ],
      exports: [LOGOUT_HURRIER, MESSAGE_NOTIFIER, PushObserveModule, SendTestNotification],
    };
  }
}
