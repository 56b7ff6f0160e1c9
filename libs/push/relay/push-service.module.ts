import { type DynamicModule, Module, type Provider } from '@nestjs/common';
import { EventLogModule } from '#events/log';
import { WebPushKeyRepository, WebPushKeys } from '#push/providers';
import {
  DirectPushService,
  PUSH_KEY_SECRET,
  PUSH_SERVICE,
  PushKeyRepository,
  PushKeys,
  PushRegistrationRepository,
  SealedRegistrations,
} from '#push/tokens';
import { DEVICE_CHANGES, noDeviceChanges } from './changes/device-changes.js';
import { TokenChangeRepository } from './changes/token-change.repository.js';
import { TokenChanges } from './changes/token-changes.js';
import { PushServiceClient, RELAY_SETTINGS, type RelaySettings } from './push-service-client.js';
import { ownQueues, QUEUE_PLATFORM, sharedQueues } from './queue-platform.js';
import { RealmAnswers } from './realms/realm-answers.js';
import { RealmPushStatuses } from './realms/realm-push-statuses.js';
import { RealmUploadRepository } from './realms/realm-upload.repository.js';
import { RealmUploads } from './realms/realm-uploads.js';
import { RelayIdentityRepository } from './relay-identity.repository.js';
import { RelayPushService } from './relay-push-service.js';

const classes = [
  PushKeyRepository,
  PushKeys,
  PushRegistrationRepository,
  SealedRegistrations,
  WebPushKeyRepository,
  WebPushKeys,
];

const relayClasses = [
  PushServiceClient,
  RealmAnswers,
  RealmPushStatuses,
  RealmUploadRepository,
  RealmUploads,
  RelayIdentityRepository,
  RelayPushService,
  TokenChangeRepository,
  TokenChanges,
];

/** A server that sends to Apple and Google itself. */
const directProviders: readonly Provider[] = [
  DirectPushService,
  { provide: PUSH_SERVICE, useExisting: DirectPushService },
  { provide: DEVICE_CHANGES, useValue: noDeviceChanges },
  { provide: QUEUE_PLATFORM, useValue: ownQueues },
];

/** A server that relays. */
const relayProviders = (relay: RelaySettings): readonly Provider[] => [
  ...relayClasses,
  { provide: RELAY_SETTINGS, useValue: relay },
  { provide: PUSH_SERVICE, useExisting: RelayPushService },
  { provide: DEVICE_CHANGES, useExisting: TokenChanges },
  { provide: QUEUE_PLATFORM, useValue: sharedQueues },
];

/** The push service of this server, or that of another one, globally; needs DatabaseModule, and with a relay QueueModule. */
@Module({})
export class PushServiceModule {
  /**
   * `keySecret` encrypts private keys and the keys of devices; null without encrypted notifications. `relay` is the push
   * service of another server; null when this one sends to Apple and Google itself. Only with it are there the classes of this
   * capability.
   */
  static with(keySecret: Buffer | null, relay: RelaySettings | null = null): DynamicModule {
    return {
      module: PushServiceModule,
      global: true,
      imports: [EventLogModule],
      providers: [
        ...classes,
        { provide: PUSH_KEY_SECRET, useValue: keySecret },
        ...(relay === null ? directProviders : relayProviders(relay)),
      ],
      exports: [
        ...classes,
        PUSH_KEY_SECRET,
        PUSH_SERVICE,
        DEVICE_CHANGES,
        QUEUE_PLATFORM,
        ...(relay === null ? [] : [...relayClasses, RELAY_SETTINGS]),
      ],
    };
  }
}
