import { Controller } from '@nestjs/common';
import type { RemoteCaller } from '#platform/contracts';
import {
  ClientAddress,
  Endpoint,
  Parameters,
  type ParametersOf,
  SignedInServer,
} from '#platform/http';
import { PushRevocations } from '#push/revocations';
import { ServerRegistrationService } from './server-registration.service.js';
import {
  deactivateServer,
  registerServer,
  transferServer,
  verifyServer,
} from './servers.schema.js';

@Controller()
export class RemoteServersController {
  constructor(
    private readonly registrations: ServerRegistrationService,
    private readonly revocations: PushRevocations,
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
  async deactivate(@SignedInServer() server: RemoteCaller) {
    await this.registrations.deactivate(server);
    await this.revocations.revokeSender('server', server.serverId);
  }

  @Endpoint(transferServer)
  async transfer(@Parameters() { hostname }: ParametersOf<typeof transferServer>) {
    return { verification_secret: await this.registrations.beginTransfer(hostname) };
  }

  @Endpoint(verifyServer)
  async verify(@Parameters() { hostname, access_token }: ParametersOf<typeof verifyServer>) {
    const { uuid, key } = await this.registrations.endTransfer(hostname, access_token);
    return { zulip_org_id: uuid, zulip_org_key: key };
  }
}
