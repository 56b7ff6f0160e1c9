import { Controller } from '@nestjs/common';
import { Endpoint, Parameters, type ParametersOf, SignedInServer } from '#platform/http';
import type { Tenant } from '../servers/tenant.repository.js';
import {
  registerTenantDevice,
  registerSealedDevice,
  unregisterAllTenantDevices,
  unregisterTenantDevice,
} from './tenant-devices.schema.js';
import { TenantDevicesService } from './tenant-devices.service.js';

@Controller()
export class TenantDevicesController {
  constructor(private readonly devices: TenantDevicesService) {}

  @Endpoint(registerTenantDevice)
  async register(
    @SignedInServer() server: Tenant,
    @Parameters() parameters: ParametersOf<typeof registerTenantDevice>,
  ) {
    await this.devices.register(server, parameters);
  }

  @Endpoint(unregisterTenantDevice)
  async unregister(
    @SignedInServer() server: Tenant,
    @Parameters() parameters: ParametersOf<typeof unregisterTenantDevice>,
  ) {
    await this.devices.unregister(server, parameters);
  }

  @Endpoint(unregisterAllTenantDevices)
  async unregisterAll(
    @SignedInServer() server: Tenant,
    @Parameters() parameters: ParametersOf<typeof unregisterAllTenantDevices>,
  ) {
    await this.devices.unregisterAll(server, parameters);
  }

  @Endpoint(registerSealedDevice)
  async registerSealed(
    @SignedInServer() server: Tenant,
    @Parameters() parameters: ParametersOf<typeof registerSealedDevice>,
  ) {
    await this.devices.registerSealed(server, {
      realmUuid: parameters.realm_uuid,
      tokenId: parameters.token_id,
      servicePublicKey: parameters.bouncer_public_key,
      sealed: parameters.encrypted_push_registration,
    });
  }
}
