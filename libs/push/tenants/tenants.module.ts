import { type DynamicModule, Module, type ModuleMetadata } from '@nestjs/common';
import { REMOTE_AUTHENTICATOR } from '#platform/contracts';
import { TelemetryModule } from '#platform/telemetry';
import { PushObserveModule } from '#push/observability';
import { PushRevocationsModule } from '#push/revocations';
import { DeviceQuota } from './devices/device-quota.js';
import { TenantDeviceRepository } from './devices/tenant-device.repository.js';
import { TenantDevicesService } from './devices/tenant-devices.service.js';
import { EncryptedNotifyService } from './notify/encrypted-notify.service.js';
import { NotifyService } from './notify/notify.service.js';
import { TenantAcceptance } from './notify/tenant-acceptance.js';
import { TenantAcceptanceRepository } from './notify/tenant-acceptance.repository.js';
import { StaleTenantDevicesRepository } from './devices/stale-tenant-devices.repository.js';
import { TenantContentSealer } from './notify/tenant-content-sealer.js';
import { TenantDeliveryQueue } from './notify/tenant-delivery-queue.js';
import { TenantNotifier } from './notify/tenant-notifier.js';
import { TenantResults } from './notify/tenant-results.js';
import { AnalyticsService } from './realms/analytics.service.js';
import { TenantRealmRepository } from './realms/tenant-realm.repository.js';
import { TenantRealms } from './realms/tenant-realms.js';
import { TENANT_OPTIONS, type TenantOptions } from './tenant-options.js';
import { HostVerifier } from './servers/host-verifier.js';
import { LimitedServers } from './servers/limited-servers.js';
import { TenantRepository } from './servers/tenant.repository.js';
import { TenantSignIn } from './servers/tenant-sign-in.js';
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
  StaleTenantDevicesRepository,
  TenantContentSealer,
  TenantDeliveryQueue,
  TenantDeviceRepository,
];

/** The parts that workers need; needs DatabaseModule, PushServiceModule and QueueModule. */
@Module({ providers: deliveryParts, exports: deliveryParts })
export class TenantDeliveryModule {}

/** The endpoints of the push service for other servers; needs DatabaseModule, PushServiceModule and QueueModule. */
@Module({})
export class TenantsModule {
  /** `imports`: a module that exports RateLimits. */
  static with(
    options: TenantOptions & { readonly imports: NonNullable<ModuleMetadata['imports']> },
  ): DynamicModule {
    return {
      module: TenantsModule,
      imports: [
        ...options.imports,
        PushObserveModule,
        PushRevocationsModule,
        TenantDeliveryModule,
        TelemetryModule,
      ],
      providers: [
        AnalyticsService,
        DeviceQuota,
        EncryptedNotifyService,
        HostVerifier,
        LimitedServers,
        NotifyService,
        TenantAcceptance,
        TenantAcceptanceRepository,
        TenantNotifier,
        TenantResults,
        TenantDevicesService,
        TenantRealmRepository,
        TenantRealms,
        TenantRepository,
        TenantSignIn,
        ServerRegistrationService,
        ServerTransferService,
        { provide: REMOTE_AUTHENTICATOR, useExisting: TenantSignIn },
        { provide: TENANT_OPTIONS, useValue: options },
      ],
      exports: [
        AnalyticsService,
        EncryptedNotifyService,
        NotifyService,
        PushRevocationsModule,
        REMOTE_AUTHENTICATOR,
        TenantDevicesService,
        ServerRegistrationService,
        ServerTransferService,
      ],
    };
  }
}
