import { type DynamicModule, Module } from '@nestjs/common';
import { CLOCK, systemClock } from '#platform/core';
import { DirectPushService } from './direct-push-service.js';
import { PushKeyRepository } from './push-key.repository.js';
import { PUSH_KEY_SECRET, PushKeys } from './push-keys.js';
import { PushRegistrationRepository } from './push-registration.repository.js';
import { PUSH_SERVICE } from './push-service.js';
import { SealedRegistrations } from './sealed-registrations.js';

/** The push service of this installation, globally; needs DatabaseModule. */
@Module({})
export class PushServiceModule {
  /** `secret` encrypts private keys; null without encrypted notifications. */
  static with(secret: Buffer | null): DynamicModule {
    return {
      module: PushServiceModule,
      global: true,
      providers: [
        DirectPushService,
        PushKeyRepository,
        PushKeys,
        PushRegistrationRepository,
        SealedRegistrations,
        { provide: CLOCK, useValue: systemClock },
        { provide: PUSH_KEY_SECRET, useValue: secret },
        { provide: PUSH_SERVICE, useExisting: DirectPushService },
      ],
      exports: [
        PUSH_KEY_SECRET,
        PUSH_SERVICE,
        PushKeys,
        PushRegistrationRepository,
        SealedRegistrations,
      ],
    };
  }
}
