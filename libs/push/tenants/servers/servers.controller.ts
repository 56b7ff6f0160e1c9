import { Controller } from '@nestjs/common';
import type { RemoteCaller } from '#platform/contracts';
import {
  ClientAddress,
  Endpoint,
  Parameters,
  type ParametersOf,
  SignedInServer,
} from '#platform/http';
import { ServerRegistrationService } from './server-registration.service.js';
import { ServerTransferService } from './server-transfer.service.js';
import {
  deactivateServer,
  registerServer,
  transferServer,
  verifyServer,
} from './servers.schema.js';

@Controller()
export class TenantsController {
  constructor(
    private readonly registrations: ServerRegistrationService,
    private readonly transfers: ServerTransferService,
  ) {}

  @Endpoint(registerServer)
  async register(
    @Parameters() parameters: ParametersOf<typeof registerServer>,
    @ClientAddress() address: string,
  ) {
    const created = await this.registrations.register({
      uuid: parameters.zulip_org_id,
      key: parameters.zulip_org_key,
      newKey: parameters.new_org_key,
      hostname: parameters.hostname,
      contactEmail: parameters.contact_email,
      address,
    });
    return { created };
  }

  @Endpoint(deactivateServer)
  deactivate(@SignedInServer() server: RemoteCaller): Promise<void> {
    return this.registrations.deactivate(server);
  }

  @Endpoint(transferServer)
  async transfer(@Parameters() { hostname }: ParametersOf<typeof transferServer>) {
    return { verification_secret: await this.transfers.begin(hostname) };
  }

  @Endpoint(verifyServer)
  async verify(
    @Parameters() { hostname, access_token: accessToken }: ParametersOf<typeof verifyServer>,
    @ClientAddress() address: string,
  ) {
    const { uuid, key } = await this.transfers.end({ hostname, accessToken, address });
    return { zulip_org_id: uuid, zulip_org_key: key };
  }
}
