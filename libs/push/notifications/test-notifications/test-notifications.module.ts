import { type DynamicModule, Module, type Provider } from '@nestjs/common';
import { IdempotencyModule } from '#platform/idempotency';
import { PushRegistrationModule } from '#push/devices';
import type { RelaySettings } from '#push/relay';
import { DirectTestService } from './direct-test.service.js';
import { RelayedEncryptedTestService } from './relayed-encrypted-test.service.js';
import { RelayedTestService } from './relayed-test.service.js';
import {
  ENCRYPTED_TESTS,
  PLAIN_TESTS,
  TestNotificationsService,
} from './test-notifications.service.js';

const directProviders: readonly Provider[] = [
  { provide: PLAIN_TESTS, useExisting: DirectTestService },
  { provide: ENCRYPTED_TESTS, useExisting: DirectTestService },
];

const relayProviders: readonly Provider[] = [
  { provide: PLAIN_TESTS, useClass: RelayedTestService },
  { provide: ENCRYPTED_TESTS, useClass: RelayedEncryptedTestService },
];

/** The tests that apps ask for; needs PushProducerModule, PushServiceModule, LimitsModule, and `imports` with RateLimits. */
@Module({})
export class TestNotificationsModule {
  /** `relay`: the push service of another server; null when this one sends to Apple and Google itself. */
  static with({
    imports,
    relay,
  }: {
    readonly imports: readonly DynamicModule[];
    readonly relay: Omit<RelaySettings, 'externalUrl'> | null;
  }): DynamicModule {
    return {
      module: TestNotificationsModule,
      imports: [...imports, IdempotencyModule, PushRegistrationModule],
      providers: [TestNotificationsService, ...(relay === null ? directProviders : relayProviders)],
      exports: [TestNotificationsService],
    };
  }
}
