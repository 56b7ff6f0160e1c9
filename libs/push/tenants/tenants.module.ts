import { type DynamicModule, Module, type ModuleMetadata } from '@nestjs/common';
import { REMOTE_AUTHENTICATOR } from '#platform/contracts';
import { TelemetryModule } from '#platform/telemetry';
import { PushObserveModule } from '#push/observability';
import { PushRevocationsModule } from '#push/revocations';
import { DeviceQuota } from './devices/device-quota.js';
import { RemoteDeviceRepository } from './devices/tenant-device.repository.js';
import { RemoteDevicesService } from './devices/tenant-devices.service.js';
import { EncryptedNotifyService } from './notify/encrypted-notify.service.js';
import { NotifyService } from './notify/notify.service.js';
import { RemoteAcceptance } from './notify/tenant-acceptance.js';
import { RemoteAcceptanceRepository } from './notify/tenant-acceptance.repository.js';
import { StaleRemoteDevicesRepository } from './devices/stale-tenant-devices.repository.js';
import { RemoteContentSealer } from './notify/tenant-content-sealer.js';
import { RemoteDeliveryQueue } from './notify/tenant-delivery-queue.js';
import { RemoteNotifier } from './notify/tenant-notifier.js';
import { RemoteResults } from './notify/tenant-results.js';
import { AnalyticsService } from './realms/analytics.service.js';
import { RemoteRealmRepository } from './realms/tenant-realm.repository.js';
import { RemoteRealms } from './realms/tenant-realms.js';
import { REMOTE_OPTIONS, type RemoteOptions } from './tenant-options.js';
import { HostVerifier } from './servers/host-verifier.js';
import { LimitedServers } from './servers/limited-servers.js';
import { RemoteServerRepository } from './servers/tenant.repository.js';
import { RemoteSignIn } from './servers/tenant-sign-in.js';
import { ServerOperationsRepository } from './servers/server-operations.repository.js';
import { ServerOperationsService } from './servers/server-operations.service.js';
import { ServerRegistrationService } from './servers/server-registration.service.js';
import { ServerTransferService } from './servers/server-transfer.service.js';

/** The operations on remote servers; needs DatabaseModule and OperatorActionsModule. */
@Module({ providers: [ServerOperationsRepository], exports: [ServerOperationsRepository] })
export class ServerOperationsModule {}

/** The same, with stops; needs QueueModule too. */
@Module({
  imports: [PushRevocationsModule, ServerOperationsModule],
  providers: [ServerOperationsService],
  exports: [ServerOperationsModule, ServerOperationsService],
})
export class ServerStopsModule {}

const deliveryParts = [
  StaleRemoteDevicesRepository,
  RemoteContentSealer,
  RemoteDeliveryQueue,
  RemoteDeviceRepository,
];

/** The parts that workers need; needs DatabaseModule, PushServiceModule and QueueModule. */
@Module({ providers: deliveryParts, exports: deliveryParts })
export class RemoteDeliveryModule {}

/** The endpoints of the push service for other servers; needs DatabaseModule, PushServiceModule and QueueModule. */
@Module({})
export class RemotesModule {
  /** `imports`: a module that exports RateLimits. */
  static with(
    options: RemoteOptions & { readonly imports: NonNullable<ModuleMetadata['imports']> },
  ): DynamicModule {
    return {
      module: RemotesModule,
      imports: [
        ...options.imports,
        PushObserveModule,
        PushRevocationsModule,
        RemoteDeliveryModule,
        TelemetryModule,
      ],
      providers: [
        AnalyticsService,
        DeviceQuota,
        EncryptedNotifyService,
        HostVerifier,
        LimitedServers,
        NotifyService,
        RemoteAcceptance,
        RemoteAcceptanceRepository,
        RemoteNotifier,
        RemoteResults,
        RemoteDevicesService,
        RemoteRealmRepository,
        RemoteRealms,
        RemoteServerRepository,
        RemoteSignIn,
        ServerRegistrationService,
        ServerTransferService,
        { provide: REMOTE_AUTHENTICATOR, useExisting: RemoteSignIn },
        { provide: REMOTE_OPTIONS, useValue: options },
      ],
      exports: [
        AnalyticsService,
        EncryptedNotifyService,
        NotifyService,
        PushRevocationsModule,
        REMOTE_AUTHENTICATOR,
        RemoteDevicesService,
        ServerRegistrationService,
        ServerTransferService,
      ],
    };
  }
}
