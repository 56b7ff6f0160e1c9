import { type DynamicModule, Module } from '@nestjs/common';
import { IdempotencyModule } from '#platform/idempotency';
import { PushRegistrationModule } from '#push/devices';
import { RELAY_SETTINGS, type RelaySettings } from '#push/relay';
import { RelayedEncryptedTestService } from './relayed-encrypted-test.service.js';
import { RelayedTestService } from './relayed-test.service.js';
import { TestNotificationSender } from './test-notification-sender.js';
import { TestNotificationService } from './test-notification.service.js';
import { TEST_NOTIFICATIONS, type TestNotifications } from './test-notifications.js';

/** The tests that apps ask for; needs PushProducerModule, PushServiceModule, LimitsModule, and `imports` with RateLimits. */
@Module({})
export class TestNotificationsModule {
  static with({ imports }: { readonly imports: readonly DynamicModule[] }): DynamicModule {
    return {
      module: TestNotificationsModule,
      imports: [...imports, IdempotencyModule, PushRegistrationModule],
      providers: [
        RelayedEncryptedTestService,
        RelayedTestService,
        TestNotificationSender,
        {
          provide: TEST_NOTIFICATIONS,
          inject: [RELAY_SETTINGS, TestNotificationService, RelayedTestService],
          useFactory: (
            relay: RelaySettings | null,
            direct: TestNotificationService,
            relayed: RelayedTestService,
          ): TestNotifications => (relay === null ? direct : relayed),
        },
      ],
      exports: [TestNotificationSender],
    };
  }
}
