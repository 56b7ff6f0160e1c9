import { Controller } from '@nestjs/common';
import { Endpoint, Parameters, type ParametersOf, SignedInServer } from '#platform/http';
import type { RemoteServer } from '../servers/tenant.repository.js';
import {
  registerRemoteDevice,
  registerSealedDevice,
  unregisterAllRemoteDevices,
  unregisterRemoteDevice,
} from './tenant-devices.schema.js';
import { RemoteDevicesService } from './tenant-devices.service.js';

@Controller()
export class RemoteDevicesController {
  constructor(private readonly devices: RemoteDevicesService) {}

  @Endpoint(registerRemoteDevice)
  async register(
    @SignedInServer() server: RemoteServer,
    @Parameters() parameters: ParametersOf<typeof registerRemoteDevice>,
  ) {
    await this.devices.register(server, parameters);
  }

  @Endpoint(unregisterRemoteDevice)
  async unregister(
    @SignedInServer() server: RemoteServer,
    @Parameters() parameters: ParametersOf<typeof unregisterRemoteDevice>,
  ) {
    await this.devices.unregister(server, parameters);
  }

  @Endpoint(unregisterAllRemoteDevices)
  async unregisterAll(
    @SignedInServer() server: RemoteServer,
    @Parameters() parameters: ParametersOf<typeof unregisterAllRemoteDevices>,
  ) {
    await this.devices.unregisterAll(server, parameters);
  }

  @Endpoint(registerSealedDevice)
  async registerSealed(
    @SignedInServer() server: RemoteServer,
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
