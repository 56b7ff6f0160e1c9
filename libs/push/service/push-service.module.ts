import { type DynamicModule, Module } from '@nestjs/common';
import { EventLogModule } from '#events/log';
import { DirectPushService } from './direct-push-service.js';
import { PushKeyRepository } from './push-key.repository.js';
import { PUSH_KEY_SECRET, PushKeys } from './push-keys.js';
import { PushRegistrationRepository } from './push-registration.repository.js';
import { PUSH_SERVICE } from './push-service.js';
import {
  PushServiceClient,
  RELAY_SETTINGS,
  type RelaySettings,
} from './relay/push-service-client.js';
import { RealmAnswers } from './relay/realm-answers.js';
import { RealmPushStatuses } from './relay/realm-push-statuses.js';
import { RealmUploadRepository } from './relay/realm-upload.repository.js';
import { RealmUploads } from './relay/realm-uploads.js';
import { RelayIdentityRepository } from './relay/relay-identity.repository.js';
import { TokenChangeRepository } from './relay/token-change.repository.js';
import { TokenChanges } from './relay/token-changes.js';
import { RelayPushService } from './relay/relay-push-service.js';
import { SealedRegistrations } from './sealed-registrations.js';

/** The push service of this server, or that of another one, globally; needs DatabaseModule. */
@Module({})
export class PushServiceModule {
  /**
   * `keySecret` encrypts private keys and the keys of devices; null without encrypted notifications. `relay` is the push
   * service of another server; null when this one sends to Apple and Google itself.
   */
  static with(keySecret: Buffer | null, relay: RelaySettings | null = null): DynamicModule {
    return {
      module: PushServiceModule,
      global: true,
      imports: [EventLogModule],
      providers: [
        DirectPushService,
        PushKeyRepository,
        PushKeys,
        PushRegistrationRepository,
        SealedRegistrations,
        PushServiceClient,
        RealmAnswers,
        RealmPushStatuses,
        RealmUploadRepository,
        RealmUploads,
        RelayIdentityRepository,
        RelayPushService,
        TokenChangeRepository,
        TokenChanges,
        { provide: PUSH_KEY_SECRET, useValue: keySecret },
        { provide: RELAY_SETTINGS, useValue: relay },
        {
          provide: PUSH_SERVICE,
          useExisting: relay === null ? DirectPushService : RelayPushService,
        },
      ],
      exports: [
        PUSH_KEY_SECRET,
        PUSH_SERVICE,
        PushKeys,
        PushRegistrationRepository,
        PushServiceClient,
        RealmAnswers,
        RealmPushStatuses,
        RealmUploads,
        RELAY_SETTINGS,
        RelayIdentityRepository,
        SealedRegistrations,
        TokenChangeRepository,
        TokenChanges,
      ],
    };
  }
}
