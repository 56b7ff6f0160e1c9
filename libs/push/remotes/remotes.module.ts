import { type DynamicModule, Module, type ModuleMetadata } from '@nestjs/common';
import { REMOTE_AUTHENTICATOR } from '#platform/contracts';
import { CLOCK, systemClock } from '#platform/core';
import { RemoteDeviceRepository } from './devices/remote-device.repository.js';
import { RemoteDevicesService } from './devices/remote-devices.service.js';
import { AnalyticsService } from './realms/analytics.service.js';
import { RemoteRealmRepository } from './realms/remote-realm.repository.js';
import { RemoteRealms } from './realms/remote-realms.js';
import { REMOTE_OPTIONS, type RemoteOptions } from './remote-options.js';
import { HostVerifier } from './servers/host-verifier.js';
import { RemoteServerRepository } from './servers/remote-server.repository.js';
import { RemoteSignIn } from './servers/remote-sign-in.js';
import { ServerRegistrationService } from './servers/server-registration.service.js';

/** The endpoints of the push service for other servers; needs DatabaseModule, PushServiceModule and QueueModule. */
@Module({})
export class RemotesModule {
  /** `imports`: a module that exports RateLimits. */
  static with(
    options: RemoteOptions & { readonly imports: NonNullable<ModuleMetadata['imports']> },
  ): DynamicModule {
    return {
      module: RemotesModule,
      imports: options.imports,
      providers: [
        AnalyticsService,
        HostVerifier,
        RemoteDeviceRepository,
        RemoteDevicesService,
        RemoteRealmRepository,
        RemoteRealms,
        RemoteServerRepository,
        RemoteSignIn,
        ServerRegistrationService,
        { provide: CLOCK, useValue: systemClock },
        { provide: REMOTE_AUTHENTICATOR, useExisting: RemoteSignIn },
        { provide: REMOTE_OPTIONS, useValue: options },
      ],
      exports: [AnalyticsService, RemoteDevicesService, ServerRegistrationService],
    };
  }
}
