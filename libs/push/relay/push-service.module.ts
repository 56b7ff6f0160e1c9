import { type DynamicModule, Module } from '@nestjs/common';
import { EventLogModule } from '#events/log';
import {
  DirectPushService,
  PUSH_KEY_SECRET,
  PUSH_SERVICE,
  PushKeyRepository,
  PushKeys,
  PushRegistrationRepository,
  SealedRegistrations,
} from '#push/tokens';
import { PushServiceClient, RELAY_SETTINGS, type RelaySettings } from './push-service-client.js';
import { RealmAnswers } from './realms/realm-answers.js';
import { RealmPushStatuses } from './realms/realm-push-statuses.js';
import { RealmUploadRepository } from './realms/realm-upload.repository.js';
import { RealmUploads } from './realms/realm-uploads.js';
import { RelayIdentityRepository } from './relay-identity.repository.js';
import { TokenChangeRepository } from './changes/token-change.repository.js';
import { TokenChanges } from './changes/token-changes.js';
import { RelayPushService } from './relay-push-service.js';

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
