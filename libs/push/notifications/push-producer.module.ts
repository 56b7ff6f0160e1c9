import { type DynamicModule, Module, type Provider } from '@nestjs/common';
import { MESSAGE_NOTIFIER } from '#chat/messages';
import { DEVICE_REVOKER } from '#directory/auth';
import { NOTIFICATION_WISHES_HOOK, QUIET_SETTINGS_HOOK } from '#directory/settings';
import { PUSH_AVAILABILITY } from '#directory/server-settings';
import { DEPARTURE_HOOK } from '#events/queues';
import {
  NOTIFICATION_TARGETS,
  PUSH_TARGETS,
  PushDeviceRevoker,
  RELAY_TARGETS,
  WEB_PUSH_CONFIRMATIONS,
} from '#push/devices';
import { PushObserveModule } from '#push/observability';
import { RelayedPushAvailability, type RelaySettings } from '#push/relay';
import { PushRevocationsModule } from '#push/revocations';
import { AcceptanceRepository } from './acceptance.repository.js';
import { ConfirmationRepository } from './confirmations/confirmation.repository.js';
import { LedgerConfirmations } from './confirmations/ledger-confirmations.js';
import { DecidedAgainRepository } from './decision/decided-again.repository.js';
import { NotificationReview } from './decision/notification-review.js';
import { ReviewRepository } from './decision/review.repository.js';
import { DeferralRepository } from './deferrals/deferral.repository.js';
import { DeliveryQueue } from './delivery-queue.js';
import { MessageFanOutRepository } from './fan-out/message-fan-out.repository.js';
import { MessageFanOuts } from './fan-out/message-fan-outs.js';
import { MessageNotificationRepository } from './message-notification.repository.js';
import { ConfiguredPushAvailability } from './configured-push-availability.js';
import { PushMessageNotifier } from './push-message-notifier.js';
import { RemovalPageRepository } from './removal/removal-page.repository.js';
import { RemovalPages } from './removal/removal-pages.js';
import { SubscriptionTests } from './test-notifications/subscription-tests.js';
import { TEST_WAIT_MS, DirectTestService } from './test-notifications/direct-test.service.js';
import { QuietTimesRepository } from './quiet/quiet-times.repository.js';
import { QuietTimes } from './quiet/quiet-times.js';
import { TIME_TO_LIVE, timeToLiveOf } from './notification.js';

const directProviders: readonly Provider[] = [
  { provide: NOTIFICATION_TARGETS, useValue: PUSH_TARGETS },
  { provide: PUSH_AVAILABILITY, useClass: ConfiguredPushAvailability },
];

const relayProviders: readonly Provider[] = [
  { provide: NOTIFICATION_TARGETS, useValue: RELAY_TARGETS },
  { provide: PUSH_AVAILABILITY, useClass: RelayedPushAvailability },
];

/** The options of a program that accepts notifications. */
interface PushProducerOptions {
  /** How long a test notification to one device waits for the provider's answer. */
  readonly testWaitMs: number;
  /** How long a notification may wait before it is dropped rather than sent late. */
  readonly timeToLiveMs: number;
  /** The push service of another server; null when this one sends to Apple and Google itself. */
  readonly relay: Omit<RelaySettings, 'externalUrl'> | null;
}

/**
 * Accepts notifications, and provides the notifier of messages; needs DatabaseModule, PushServiceModule, QueueModule and RedisModule. Import it
 * once in a program.
 */
@Module({})
export class PushProducerModule {
  static with(options: PushProducerOptions): DynamicModule {
    return {
      module: PushProducerModule,
      global: true,
      imports: [PushObserveModule, PushRevocationsModule],
      providers: [
        AcceptanceRepository,
        ConfirmationRepository,
        DecidedAgainRepository,
        DeferralRepository,
        DeliveryQueue,
        MessageFanOutRepository,
        MessageFanOuts,
        MessageNotificationRepository,
        NotificationReview,
        PushMessageNotifier,
        QuietTimes,
        QuietTimesRepository,
        DirectTestService,
        RemovalPageRepository,
        RemovalPages,
        ReviewRepository,
        SubscriptionTests,
        { provide: DEPARTURE_HOOK, useExisting: DeferralRepository },
        { provide: DEVICE_REVOKER, useClass: PushDeviceRevoker },
        { provide: MESSAGE_NOTIFIER, useExisting: PushMessageNotifier },
        { provide: NOTIFICATION_WISHES_HOOK, useExisting: PushMessageNotifier },
        { provide: QUIET_SETTINGS_HOOK, useExisting: QuietTimes },
        { provide: WEB_PUSH_CONFIRMATIONS, useClass: LedgerConfirmations },
        ...(options.relay === null ? directProviders : relayProviders),
        { provide: TEST_WAIT_MS, useValue: options.testWaitMs },
        { provide: TIME_TO_LIVE, useValue: timeToLiveOf(options.timeToLiveMs) },
      ],
      exports: [
        AcceptanceRepository,
        DeliveryQueue,
        DEPARTURE_HOOK,
        DEVICE_REVOKER,
        MESSAGE_NOTIFIER,
        NOTIFICATION_WISHES_HOOK,
        PUSH_AVAILABILITY,
        PushObserveModule,
        QUIET_SETTINGS_HOOK,
        DirectTestService,
        SubscriptionTests,
        WEB_PUSH_CONFIRMATIONS,
      ],
    };
  }
}
